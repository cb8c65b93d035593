import { join } from "node:path";
import { pathToFileURL } from "node:url";

type Border = typeof import("../../src/sandbox/border.ts");
type Channel = typeof import("../../src/sandbox/line-channel.ts");
type Launch = typeof import("../../src/sandbox/host-launch.ts");
type Host = typeof import("../../src/sandbox/host-process.ts");
type Realm = typeof import("../../src/sandbox/realm-sources.ts");

/** The code that is fuzzed: this repository's, or that of a copy with a fault. */
export type UnderTest = Pick<Border, "parseFromHost"> &
  Pick<Channel, "openLineChannel"> &
  Pick<Launch, "hostCommand" | "launchHost"> &
  Pick<Host, "HostProcess"> &
  Pick<Realm, "readRealmSources">;

/** Loads the code from the folder that holds `src/`. */
export async function loadUnderTest(root: string): Promise<UnderTest> {
  const at = (name: string): string => pathToFileURL(join(root, "src/sandbox", name)).href;
  const [border, channel, launch, host, realm]: [Border, Channel, Launch, Host, Realm] = await Promise.all([
    import(at("border.ts")),
    import(at("line-channel.ts")),
    import(at("host-launch.ts")),
    import(at("host-process.ts")),
    import(at("realm-sources.ts")),
  ]);
  const { parseFromHost } = border;
  const { openLineChannel } = channel;
  const { hostCommand, launchHost } = launch;
  const { HostProcess } = host;
  const { readRealmSources } = realm;
  return { parseFromHost, openLineChannel, hostCommand, launchHost, HostProcess, readRealmSources };
}
