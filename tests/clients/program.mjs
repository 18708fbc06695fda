// Each verb of npm's clients once, unchanged, against BASE with the token KEY of a person; exits with the failures.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, streamText, tool } from "ai";
import assert from "node:assert/strict";
import { MemoryClient } from "mem0ai";
import OpenAI from "openai";
import { z } from "zod";

const { BASE: host, KEY: apiKey, PERSON: person } = process.env;
let failures = 0;

async function check(name, verb) {
  try {
    await verb();
    console.log(`ok    ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}: ${error?.stack ?? error}`);
  }
}

const openai = new OpenAI({ baseURL: `${host}/v1`, apiKey });
const model = "finclaw";
const messages = [{ role: "user", content: "What of bonds?" }];
const parameters = { type: "object", properties: { city: { type: "string" } } };
const weather = { name: "get_weather", parameters };

await check("openai models", async () => assert.ok((await openai.models.list()).data.some((one) => one.id === model)));
await check("openai chat", async () => {
  const answer = await openai.chat.completions.create({ model, messages });
  assert.equal(answer.choices[0].message.content, "Bonds fell.");
});
await check("openai chat stream", async () => {
  let said = "";
  let tokens = 0;
  const stream_options = { include_usage: true };
  for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true, stream_options })) {
    said += chunk.choices[0]?.delta.content ?? "";
    tokens = chunk.usage?.total_tokens ?? tokens;
  }
  assert.equal(said, "Bonds fell.");
  assert.ok(tokens > 0);
});
await check("openai chat tools", async () => {
  const runner = openai.chat.completions.runTools({
    model,
    messages: [{ role: "user", content: "How warm is 'Oslo'?" }],
    tools: [{ type: "function", function: { ...weather, parse: JSON.parse, function: ({ city }) => `${city}: 7` } }],
  });
  assert.equal(await runner.finalContent(), "Bonds fell.");
});
await check("openai responses", async () => {
  const first = await openai.responses.create({ model, input: "What of bonds?" });
  const second = await openai.responses.create({ model, input: "And gold?", previous_response_id: first.id });
  assert.deepEqual([first.output_text, second.conversation.id], ["Bonds fell.", first.conversation.id]);
});
await check("openai responses stream and tools", async () => {
  const tools = [{ type: "function", strict: false, ...weather }];
  const stream = openai.responses.stream({ model, input: "How warm is 'Oslo'?", tools });
  const first = await stream.finalResponse();
  const [call] = first.output.filter((item) => item.type === "function_call");
  assert.deepEqual(JSON.parse(call.arguments), { city: "Oslo" });
  const input = [{ type: "function_call_output", call_id: call.call_id, output: "7" }];
  const second = await openai.responses.create({ model, input, tools, previous_response_id: first.id });
  assert.equal(second.output_text, "Bonds fell.");
});
await check("openai embeddings", async () => {
  const { data } = await openai.embeddings.create({ model, input: "x" });
  assert.ok(data[0].embedding.length > 100);
});
await check("openai errors", async () => {
  const refused = await openai.chat.completions.create({ model: "gpt-9", messages }).catch((error) => error);
  assert.ok(refused instanceof OpenAI.NotFoundError);
  assert.deepEqual([refused.code, Boolean(refused.requestID)], ["model_not_found", true]);
});

const provider = createOpenAICompatible({ name: "finclaw", baseURL: `${host}/v1`, apiKey });
await check("ai-sdk text", async () => {
  assert.equal((await generateText({ model: provider(model), prompt: "What of bonds?" })).text, "Bonds fell.");
});
await check("ai-sdk stream", async () => {
  let said = "";
  for await (const piece of streamText({ model: provider(model), prompt: "What of bonds?" }).textStream) said += piece;
  assert.equal(said, "Bonds fell.");
});
await check("ai-sdk tools", async () => {
  const get_weather = tool({
    description: "The weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: 7 degrees`,
  });
  const prompt = "How warm is 'Oslo'?";
  const answer = await generateText({ model: provider(model), prompt, tools: { get_weather }, stopWhen: stepCountIs(3) });
  assert.deepEqual([answer.text, answer.steps.length], ["Bonds fell.", 2]);
});

const mem0 = new MemoryClient({ apiKey, host });
const filters = { user_id: person };
async function added(text) {
  const { results } = await mem0.add([{ role: "user", content: text }], { userId: person, infer: false });
  return results[0].id;
}
const kept = await added("I prefer tea in the morning.").catch((error) => console.log("FAIL  mem0 add", error));
await check("mem0 add", async () => assert.ok(kept));
await check("mem0 ping", async () => mem0.ping());
await check("mem0 get", async () => assert.equal((await mem0.get(kept)).memory, "I prefer tea in the morning."));
await check("mem0 getAll", async () => assert.ok((await mem0.getAll({ filters })).results.some((one) => one.id === kept)));
await check("mem0 search", async () => {
  for (const query of ["What do I drink in the morning?", "*"]) {
    assert.ok((await mem0.search(query, { filters })).results.some((one) => one.id === kept), query);
  }
});
await check("mem0 update", async () => {
  await mem0.update(kept, { text: "I prefer coffee in the morning." });
  assert.equal((await mem0.get(kept)).memory, "I prefer coffee in the morning.");
});
await check("mem0 history", async () => assert.equal((await mem0.history(kept)).length, 2));
await check("mem0 feedback", async () => mem0.feedback({ memoryId: kept, feedback: "POSITIVE" }));
await check("mem0 users", async () => assert.equal((await mem0.users()).results.length, 1));
await check("mem0 batchUpdate", async () => mem0.batchUpdate([{ memoryId: kept, text: "I prefer water at noon." }]));
await check("mem0 batchDelete", async () => {
  const more = await added("I own two dogs.");
  await mem0.batchDelete([more]);
  await assert.rejects(mem0.get(more));
});
await check("mem0 export", async () => {
  const { id } = await mem0.createMemoryExport({ schema: {}, filters });
  assert.ok(await mem0.getMemoryExport({ memoryExportId: id, filters }));
});
await check("mem0 delete", async () => {
  await mem0.delete(kept);
  await assert.rejects(mem0.get(kept));
});
await check("mem0 deleteAll", async () => {
  await added("I own three cats.");
  await mem0.deleteAll({ userId: person });
  assert.equal((await mem0.getAll({ filters })).results.length, 0);
});
process.exit(failures);
