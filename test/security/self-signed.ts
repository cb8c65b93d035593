/** Makes a certificate that signs itself, for TLS servers of tests: EC P-256, or RSA with a key that is too short, written as DER by hand (RFC 5280). */
import { generateKeyPairSync, sign } from "node:crypto";

/** PEM texts. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for one DNS name, valid from 2020 to 2049. */
export function selfSigned(name: string, kind: "ec" | "rsa-1024" = "ec"): SelfSigned {
  const { publicKey, privateKey } =
    kind === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("rsa", { modulusLength: 1_024 });
  const algorithm = der(0x30, Buffer.from(kind === "ec" ? "06082a8648ce3d040302" : "06092a864886f70d01010b0500", "hex"));
  const subject = der(0x30, der(0x31, der(0x30, Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from(name)))));
  const validity = der(0x30, der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("491231235959Z")));
  const names = der(0x30, Buffer.from("0603551d11", "hex"), der(0x04, der(0x30, der(0x82, Buffer.from(name)))));
  const authority = der(0x30, Buffer.from("0603551d13", "hex"), der(0x04, der(0x30, Buffer.from("0101ff", "hex"))));
  const body = der(
    0x30,
    der(0xa0, Buffer.from("020102", "hex")),
    Buffer.from("020101", "hex"),
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, authority, names)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const lines = der(0x30, body, algorithm, signature).toString("base64").replace(/.{64}/gu, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
