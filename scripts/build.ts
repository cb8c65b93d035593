// Makes dist/ from src/: the compiled program, and the declarations and guest texts (they run inside the isolate and are not
// compiled) where their sources lie.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileChildren, compileProgram } from "./compile.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", `${root}tsconfig.build.json`], {
  stdio: ["ignore", 2, 2],
});
await compileProgram(`${root}dist`);
await compileChildren(`${root}dist`);
for (const file of globSync(["sandbox/guest/*.js", "capabilities/*/guest*.js"], { cwd: `${root}src` })) {
  cpSync(`${root}src/${file}`, `${root}dist/${file}`);
}
chmodSync(`${root}dist/cli/main.js`, 0o755);
