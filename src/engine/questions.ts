import { ToolError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { Answer, Ask, Question } from "../core/question.ts";
import type { Redactor } from "../egress/redactor.ts";
import type { CallClock } from "../sandbox/sandbox-call.ts";
import { compileValidator, type FieldIssue } from "../schema/validator.ts";

/** The questions of all calls of a server. */
export interface Questions {
  /** What `g.ask` of one call does; the signal is aborted at the end of the call. */
  forCall(call: QuestionCall): (question: Question, signal: AbortSignal) => Promise<{ readonly answer: Answer; readonly waitedMs: number }>;
}

/** What a call asks with. */
export interface QuestionCall {
  readonly callId: string;
  readonly tool: string;
  /** Absent: there is nobody to ask. */
  readonly ask: Ask | undefined;
  readonly limits: Pick<Limits, "questionsPerCall" | "questionMs" | "questionsAtOnce" | "argumentsBytes">;
  /** The clock of the call once it runs. */
  readonly clock: () => CallClock | undefined;
  /** Secrets this call sent so far are masked in what goes to the person. */
  readonly redactor: () => Redactor;
}

/** Makes the questions of one server. */
export function createQuestions(log: Log): Questions {
  let open = 0;
  return {
    forCall: (call) => {
      let asked = 0;
      return async (question, signal) => {
        const { callId, tool, limits } = call;
        const ask = requireAsk(call);
        asked += 1;
        if (asked > limits.questionsPerCall) {
          const text = `${tool} asked more than ${limits.questionsPerCall} questions, the limit of one call ("questionsPerCall"). Ask for several things in one form.`;
          throw new ToolError("TOO_MANY_REQUESTS", text);
        }
        if (open >= limits.questionsAtOnce) {
          const text = `${open} questions wait for an answer already, the limit of this server ("questionsAtOnce"). Try again later.`;
          throw new ToolError("BUSY", text, { data: { retryAfterMs: 30_000 } });
        }
        open += 1;
        const startedAt = performance.now();
        let outcome = "failed";
        try {
          const answer = checked(await askInTime(ask, masked(question, call.redactor()), call, signal), question, call);
          outcome = answer.action;
          return { answer, waitedMs: Math.round(performance.now() - startedAt) };
        } finally {
          open -= 1;
          log.info("tool.question.done", { callId, tool, outcome, durationMs: Math.round(performance.now() - startedAt) });
        }
      };
    },
  };
}

function requireAsk({ ask, tool }: QuestionCall): Ask {
  if (ask !== undefined) return ask;
  const text = `${tool} asks a person, but this call has nobody to ask: its client does not support elicitation, or it was made on the command line.`;
  throw new ToolError("UNAVAILABLE", text);
}

async function askInTime(ask: Ask, question: Question, { tool, limits, clock }: QuestionCall, signal: AbortSignal): Promise<Answer> {
  const late = Promise.withResolvers<never>();
  const over = new AbortController();
  const giveUp = (error: ToolError): void => {
    over.abort(error);
    late.reject(error);
  };
  const minutes = Math.round(limits.questionMs / 6_000) / 10;
  const timer = setTimeout(
    () => giveUp(new ToolError("TIMEOUT", `Nobody answered the question of ${tool} in ${minutes} min ("questionMs").`)),
    limits.questionMs,
  );
  const onEnd = (): void => giveUp(new ToolError("CANCELLED", `The call of ${tool} has ended.`));
  signal.addEventListener("abort", onEnd, { once: true });
  if (signal.aborted) onEnd();
  const running = clock();
  running?.pause();
  try {
    return await Promise.race([ask(question, over.signal), late.promise]);
  } finally {
    running?.resume();
    clearTimeout(timer);
    signal.removeEventListener("abort", onEnd);
  }
}

function masked({ key, message, schema }: Question, redactor: Redactor): Question {
  const form = redactor.redactJson(schema);
  return { key, message: redactor.redactText(message), schema: isJsonObject(form) ? form : {} };
}

/** A client is to check the form itself; what it sends is not taken on trust. */
function checked(answer: Answer, { schema }: Question, { tool, limits }: QuestionCall): Answer {
  if (answer.action !== "accept") return answer;
  const size = Buffer.byteLength(JSON.stringify(answer.content));
  const result = compileValidator(schema, { applyDefaults: false }).validate(answer.content);
  if (result.ok && size <= limits.argumentsBytes) return answer;
  const why = result.ok
    ? `it is ${size} bytes long; the limit is ${limits.argumentsBytes} ("argumentsBytes")`
    : `it does not fit the form: ${fieldsText(result.issues)}`;
  throw new ToolError("UNAVAILABLE", `The client's answer to the question of ${tool} cannot be used: ${why}.`);
}

/** Most fields of an answer that are named; the form may have 32. */
const SHOWN_FIELDS = 5;

/** Which fields are wrong and what was expected; what the person wrote is nobody's but the script's, and it does not get it. */
function fieldsText(issues: readonly FieldIssue[]): string {
  const lines = issues.slice(0, SHOWN_FIELDS).map(({ path, kind, expected }) => {
    if (kind === "unknown") return `${path} is no field of it`;
    return `${path === "" ? "the answer" : path} ${kind === "missing" ? "is missing" : "does not fit"}, expected ${expected}`;
  });
  const more = issues.length - lines.length;
  return `${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
