// Calls a running product by the client that @hey-api/openapi-ts wrote, with the types of openapi-typescript beside it.
import { client } from "./sdk/client.gen";
import { memoryAdd, memoryDelete, memorySearch, messageSend, sessionCreate } from "./sdk/sdk.gen";
import type { components } from "./types";

type Turn = components["schemas"]["TurnOutput"];

function found<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Error(`no ${what}`);
  return value;
}

async function main(): Promise<void> {
  client.setConfig({ baseUrl: found(process.env.FINCLAW, "FINCLAW"), auth: found(process.env.TOKEN, "TOKEN") });
  const session = found((await sessionCreate({ body: { title: "Wine" } })).data, "conversation");
  const said = { path: { session_id: session.session_id }, body: { content: "Hello" } };
  const turn = found((await messageSend(said)).data, "answer") as Turn;
  found(turn.user_message_id, "id of the message");
  const added = found((await memoryAdd({ body: { text: "I follow Bitcoin.", infer: false } })).data, "memory");
  if (!("results" in added)) throw new Error("nothing was added");
  const memory = found(added.results[0] as { memory_id: string } | undefined, "memory").memory_id;
  const hits = found((await memorySearch({ body: { query: "Do I follow Bitcoin?" } })).data, "hits");
  if (!hits.results.some((hit) => hit.memory_id === memory)) throw new Error("it was not found");
  const forgotten = await memoryDelete({ path: { memory_id: memory } });
  if (forgotten.response?.status !== 202) throw new Error("it was not forgotten");
  const refused = await memorySearch({ body: { query: "" } });
  if (refused.error?.code !== "validation_error") throw new Error("a mistake was taken");
  console.log("TypeScript clients: as described");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
