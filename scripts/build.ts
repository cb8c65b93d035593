// Makes dist/ from src/: compiled modules, and the guest texts beside them (they run inside the isolate and are not compiled).
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", `${root}tsconfig.build.json`], {
  stdio: ["ignore", 2, 2],
});
for (const file of globSync(["sandbox/guest/*.js", "capabilities/*/guest*.js"], { cwd: `${root}src` })) {
  cpSync(`${root}src/${file}`, `${root}dist/${file}`);
}
chmodSync(`${root}dist/cli/main.js`, 0o755);
