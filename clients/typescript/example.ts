// What bears on a question, by `fetch` and the types alone: a prompt for any model.
import type { components, operations } from "./finclaw";

type Question = components["schemas"]["ContextBlockInput"];
type Context = components["schemas"]["ContextBlockOutput"];
type Refusal = components["schemas"]["ErrorBody"];
type Listed = NonNullable<operations["memory_list"]["parameters"]["query"]>;

export async function context(url: string, token: string, question: Question): Promise<Context> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const answer = await fetch(`${url}/api/context`, { method: "POST", headers, body: JSON.stringify(question) });
  if (!answer.ok) {
    const refusal: Refusal = await answer.json();
    throw new Error(refusal.code === "token_expired" ? "Sign in again." : refusal.message);
  }
  return answer.json();
}

export const inForce: Listed = { state: "active", page_size: 50 };
