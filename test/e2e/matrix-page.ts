/** docs/clients.md from a run of the matrix. */
import { differenceOf, STEPS, TRANSPORTS } from "../support/matrix-clients.ts";
import type { MatrixRow } from "./matrix-steps.ts";

/** Writes the page; `versions` are our devDependencies, which are exact. Throws if a step failed: that is no fact about a client. */
export function matrixPage(rows: readonly MatrixRow[], versions: Readonly<Record<string, string>>): string {
  const reasons: string[] = [];
  const note = (why: string): string => {
    if (!reasons.includes(why)) reasons.push(why);
    return `[${reasons.indexOf(why) + 1}](#notes)`;
  };
  const cells = ({ client, transport, ends }: MatrixRow): readonly string[] => [
    `\`${client.package}\` ${versions[client.package]}`,
    client.version,
    ...STEPS.map((step) => {
      const end = ends[step];
      if (end.startsWith("failed")) throw new Error(`${client.package} over ${transport}: ${step} ${end}`);
      const difference = differenceOf(client, transport, step);
      return difference === undefined ? end : `${end} ${note(difference.why)}`;
    }),
  ];
  const tables = TRANSPORTS.map((transport) => {
    const head = ["client", "protocol", ...STEPS];
    const body = rows.filter((row) => row.transport === transport).map(cells);
    return `## Over ${transport}\n\n${[head, head.map(() => "---"), ...body].map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
  });
  return `${HEAD}\n${tables.join("\n")}\n## Notes\n\n${reasons.map((why, index) => `${index + 1}. ${why}`).join("\n")}\n${TAIL}`;
}

const HEAD = `# What clients do with a server
<!-- Made by npm run docs:clients from a run of the clients themselves; npm test fails if they do otherwise. -->

Each client goes through the same script against the installed command: it lists the tools, calls one, makes a call that is
refused and reads which field was wrong, gets three steps of progress, gives up a call and the tool notices, reads a result
of 100,000 characters in pages, sees a tool that an edit of \`tools.json\` added and calls it, and goes on after the server
was restarted, with a page of the result from before.

"Not offered" says that the client has no way to do it, not that the server lacks it. For other clients, what is known of
their rules for tools is in [client-rules.md](client-rules.md).
`;

const TAIL = `
## When the server is restarted

- **2026-07-28 over HTTP** has no sessions: the next call works as if nothing had happened.
- **2025-11-25 over HTTP**: the session is gone. Every further request with its id gets status 404 before any stream is
  opened, as the protocol wants it, and \`initialize\` with the old id opens a new session. None of these libraries does
  that by itself: a program that sees 404 has to make a new connection.
- **stdio**: further calls fail, and the program starts the server again with a new connection.
- Long results are kept for an hour and are read with the same id afterwards, over either transport.

## Worth knowing

- The SDKs drop progress that they receive in one piece with the result, so the last steps of a tool that ends at once may be
  missing.
- Over stdio the AI SDK waits one second for the answer to \`server/discover\` and speaks 2025-11-25 if it takes longer, as
  the start of a process may. The matrix lets it wait.
`;
