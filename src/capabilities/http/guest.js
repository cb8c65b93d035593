// g.http and fetch of one call.

function openHttp(bridge) {
  const { freeze } = bridge.tools;
  let aborts = 0;

  const call = (prepare, convert, isGivenUp) => bridge.hostCall("http.makeHttpRequest", prepare, convert, isGivenUp);
  const webCall = (prepare, convert, isGivenUp) => bridge.webCall("fetch", "http.makeHttpRequest", prepare, convert, isGivenUp);

  /** Asks the host; the signal of the request, if it has one, rejects the promise and ends the request. */
  const send = (ask, prepare, convert) => {
    let following;
    let rejectAborted;
    let isGivenUp = false;
    const follow = ({ params, signal }) => {
      if (signal === undefined) return params;
      params.abort = ++aborts;
      const onAbort = (reason) => {
        isGivenUp = true;
        rejectAborted(reason);
        bridge.notice("http.abort", { __proto__: null, abort: params.abort });
      };
      following = bridge.web("follow", { __proto__: null, signal, onAbort });
      if (following.isAborted) throw following.reason;
      return params;
    };
    const answer = ask(
      () => follow(prepare()),
      convert,
      () => isGivenUp,
    );
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
    return send(call, prepare, (answer) => makeResponse(bridge, answer, responseType));
  };
  const fetch = (input, init) =>
    send(
      webCall,
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
