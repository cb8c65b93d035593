// g.http and fetch of one call.

function openHttp(bridge) {
  const { freeze } = bridge.tools;
  let aborts = 0;

  /** Asks the host; the signal of the request, if it has one, rejects the promise and ends the request. */
  const send = (call, prepare, convert) => {
    let following;
    let rejectAborted;
    const follow = ({ params, signal }) => {
      if (signal === undefined) return params;
      params.abort = ++aborts;
      const onAbort = (reason) => {
        rejectAborted(reason);
        bridge.notice("http.abort", { __proto__: null, abort: params.abort });
      };
      following = bridge.web("follow", { __proto__: null, signal, onAbort });
      if (following.isAborted) throw following.reason;
      return params;
    };
    const answer = call("http.makeHttpRequest", () => follow(prepare()), convert);
    if (following === undefined || following.isAborted) return answer;
    return new bridge.tools.RawPromise((resolve, reject) => {
      rejectAborted = reject;
      void settle(answer, resolve, reject, following.stop);
    });
  };

  const makeHttpRequest = (first, second) => {
    let responseType;
    const prepare = () => {
      responseType = readCall(bridge, "g.http.makeHttpRequest", first, second).option("responseType") ?? "text";
      if (RESPONSE_TYPES[`${responseType}`] !== true) throw invalid(bridge, '"responseType" must be "text", "json" or "bytes".');
      return makeParams(bridge, "g.http.makeHttpRequest", first, second);
    };
    return send(bridge.hostCall, prepare, (answer) => makeResponse(bridge, answer, responseType));
  };
  const fetch = (input, init) =>
    send(
      bridge.webCall,
      // fetch reads and fails as the web does: TypeErrors, with the code on them.
      () => makeParams(freeze({ __proto__: bridge, error: bridge.webError, isWeb: true }), "fetch", input, init),
      (answer) => makeFetchResponse(bridge, answer),
    );
  return { member: freeze({ __proto__: null, makeHttpRequest }), globals: { __proto__: null, fetch } };
}

/** Hands on how a promise ends. */
async function settle(promise, resolve, reject, done) {
  try {
    resolve(await promise);
  } catch (thrown) {
    reject(thrown);
  } finally {
    done();
  }
}
