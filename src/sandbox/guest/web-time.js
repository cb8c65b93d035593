// crypto, performance, queueMicrotask and intervals.

/** Random bytes one call may take; the web knows no limit, but each crossing to the process costs it time. */
const RANDOM_BYTES = 4 * 1_048_576;

/** Random bytes fetched at once, for numbers and names that take a few. */
const RANDOM_AT_ONCE = 1_024;

/** Web Crypto: most that one getRandomValues gives. */
const RANDOM_MOST = 65_536;

const RANDOM_ARRAYS = ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array"];

/** Fills a Uint8Array with the operating system's randomness, by way of the process around the realm. */
function fillRandom(state, bytes) {
  requireLive(state);
  const length = typedArrayByteLength(bytes);
  if (state.randomTaken + length > RANDOM_BYTES) {
    throw domError(state, "QuotaExceededError", `A call may take ${RANDOM_BYTES} random bytes.`);
  }
  state.randomTaken += length;
  for (let index = 0; index < length; index++) {
    if (state.randomAt >= state.random.length) {
      state.random = host.random(min(max(length - index, RANDOM_AT_ONCE), RANDOM_MOST));
      state.randomAt = 0;
    }
    bytes[index] = charCodeAt(state.random, state.randomAt++);
  }
}

function randomHex(state, count) {
  const bytes = new RawUint8Array(count);
  fillRandom(state, bytes);
  return hexText(bytes, 0, count);
}

function hexText(bytes, start, end) {
  const digits = "0123456789abcdef";
  let text = "";
  for (let index = start; index < end; index++) text += digits[bytes[index] >> 4] + digits[bytes[index] & 15];
  return text;
}

function makeCryptoNames(state) {
  const crypto = {
    getRandomValues(array) {
      const name = isView(array) ? typedArrayTag(array) : undefined;
      let isInteger = name === "BigInt64Array" || name === "BigUint64Array";
      for (let index = 0; index < RANDOM_ARRAYS.length; index++) if (RANDOM_ARRAYS[index] === name) isInteger = true;
      if (!isInteger) throw domError(state, "TypeMismatchError", "crypto.getRandomValues fills a typed array of integers.");
      const bytes = bytesOf(array);
      if (typedArrayByteLength(bytes) > RANDOM_MOST) {
        throw domError(state, "QuotaExceededError", `crypto.getRandomValues gives at most ${RANDOM_MOST} bytes at once.`);
      }
      fillRandom(state, bytes);
      return array;
    },
    /** RFC 9562, version 4. */
    randomUUID() {
      const bytes = new RawUint8Array(16);
      fillRandom(state, bytes);
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      const part = (start, end) => hexText(bytes, start, end);
      return `${part(0, 4)}-${part(4, 6)}-${part(6, 8)}-${part(8, 10)}-${part(10, 16)}`;
    },
  };
  defineTag(crypto, "Crypto");
  return { __proto__: null, names: { __proto__: null, crypto } };
}

/** The realm has no finer clock than milliseconds; it never goes back. */
function makeTimeNames() {
  const timeOrigin = dateNow();
  let last = 0;
  const performance = {
    now() {
      last = max(last, dateNow() - timeOrigin);
      return last;
    },
    timeOrigin,
    toJSON: () => ({ timeOrigin }),
  };
  defineTag(performance, "Performance");
  return { __proto__: null, names: { __proto__: null, performance } };
}

function makeTaskNames(state) {
  const queueMicrotask = (callback) => {
    if (typeof callback !== "function") throw new RawTypeError("queueMicrotask needs a function.");
    void runSoon(state, callback);
  };
  const setInterval = (callback, delay, ...values) => makeTimer(state, callback, delay, values, true);
  const clearInterval = (timerId) => cancelTimer(state, timerId);
  return { __proto__: null, names: { __proto__: null, queueMicrotask, setInterval, clearInterval } };
}

/** What the function throws has nobody to catch it: as with a timer it ends the call. */
async function runSoon(state, callback) {
  await undefined;
  try {
    apply(callback, undefined, []);
  } catch (thrown) {
    failCall(state, thrown);
  }
}
