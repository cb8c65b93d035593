// What the walk starts from beside the names themselves: an object of every web class, and what their methods give.

/** Appends the samples of a call to the list. */
function webSamples(state, values) {
  const add = (value) => {
    values[values.length] = value;
  };
  const attempt = (make) => {
    try {
      add(make());
    } catch (thrown) {
      add(thrown); // an error is an object too
    }
  };
  const make = (name, ...args) => construct(webName(state, name), args);
  const url = make("URL", "https://a.example:8443/b?c=1#d");
  const params = url.searchParams;
  const headers = make("Headers", { a: "1" });
  const form = make("FormData");
  form.append("a", make("Blob", ["x"]), "a.txt");
  const controller = make("AbortController");
  const target = make("EventTarget");
  const request = make("Request", "https://a.example/", { method: "POST", body: "a", signal: controller.signal });
  const response = make("Response", '{"a":[]}', { headers: { "set-cookie": "a" } });
  add([url, params, params.entries(), params.entries().next(), params.getAll("c"), webName(state, "URL").parse("https://a.example")]);
  add([headers, headers.entries(), headers.keys().next(), headers.getSetCookie(), form, form.values(), form.get("a")]);
  add([controller, controller.signal, target, make("Event", "a"), webName(state, "AbortSignal").any([controller.signal])]);
  add([request, request.clone(), request.headers, request.signal, response, response.clone(), response.headers, response.json()]);
  add([make("TextEncoder"), make("TextEncoder").encodeInto("a", new RawUint8Array(1)), make("TextDecoder"), make("Blob", []).slice(0)]);
  add([
    make("DOMException", "a", "AbortError"),
    webName(state, "structuredClone")({ list: [{}], map: new RawMap(), date: new RawDate(0) }),
  ]);
  add([webName(state, "performance").toJSON(), webServices.response(state, sampleAnswer())]);
  controller.abort();
  add(controller.signal.reason);
  attempt(() => webName(state, "atob")("*"));
  attempt(() => make("URL", "a"));
  attempt(() => webName(state, "structuredClone")(() => undefined));
  attempt(() => make("AbortSignal"));
}

function sampleAnswer() {
  const body = { __proto__: null, text: "{}" };
  return { __proto__: null, status: 200, statusText: "", headers: { a: "b" }, setCookie: ["c"], url: "", redirected: false, body };
}
