// g.result: how a call ends, said in words, and what it shows beside its value. `fail` gives a mark that main() returns
// (or throws), `content` one that it returns; `image`, `audio` and `resource` give blocks that are such a mark as well.
(bridge) => {
  const { bytesOf, freeze, isArray, RawTypeError, typedArrayByteLength } = bridge.tools;
  const { mediaBytes } = bridge.caps;
  const text = (value, name) => {
    if (typeof value === "string" && value !== "") return value;
    throw new RawTypeError(`g.result.${name} must be text.`);
  };
  const list = (blocks, name) => {
    if (isArray(blocks)) return blocks;
    throw new RawTypeError(`g.result.${name} takes a list of content blocks.`);
  };
  // Bytes as they are, or base64; the size is judged here so that the error has a place in the script.
  const media = (value, name) => {
    const bytes = bytesOf(value);
    if (bytes === undefined && typeof value !== "string") {
      throw new RawTypeError(`g.result.${name} takes bytes (a typed array or ArrayBuffer) or base64 text.`);
    }
    const length = bytes === undefined ? (value.length / 4) * 3 - 2 : typedArrayByteLength(bytes);
    if (length <= mediaBytes) return bytes ?? value;
    const what = `g.result.${name} was given more than ${mediaBytes} bytes, the limit for images, sounds and files of a result`;
    throw bridge.error("RESULT_TOO_LARGE", `${what} ("mediaBytes"). Make it smaller, or return a link to it.`);
  };
  return {
    member: freeze({
      __proto__: null,
      ok: (value) => {
        bridge.requireLive();
        return value;
      },
      fail: (message, blocks) => {
        bridge.requireLive();
        return bridge.failure(message, blocks === undefined ? undefined : list(blocks, "fail(message, blocks)"));
      },
      content: (blocks, value) => {
        bridge.requireLive();
        return bridge.content(list(blocks, "content(blocks)"), value);
      },
      image: (bytes, mimeType) => {
        bridge.requireLive();
        return bridge.block({
          __proto__: null,
          type: "image",
          data: media(bytes, "image"),
          mimeType: text(mimeType, "image(bytes, mimeType)"),
        });
      },
      audio: (bytes, mimeType) => {
        bridge.requireLive();
        return bridge.block({
          __proto__: null,
          type: "audio",
          data: media(bytes, "audio"),
          mimeType: text(mimeType, "audio(bytes, mimeType)"),
        });
      },
      resource: (uri, content, mimeType) => {
        bridge.requireLive();
        const resource = { __proto__: null, uri: text(uri, "resource(uri)") };
        if (mimeType !== undefined) resource.mimeType = text(mimeType, "resource(uri, content, mimeType)");
        if (typeof content === "string") resource.text = content;
        else resource.blob = media(content, "resource");
        return bridge.block({ __proto__: null, type: "resource", resource: freeze(resource) });
      },
      link: (uri, name) => {
        bridge.requireLive();
        return bridge.block({ __proto__: null, type: "resource_link", uri: text(uri, "link(uri)"), name: text(name, "link(uri, name)") });
      },
    }),
  };
};
