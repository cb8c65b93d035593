// Attack: Each request is made while the options of the one before it are read, so that all begin before any is counted.
// Expect: value 53
// Guard: host-call-count
async function main() {
  let made = 0;
  let left = 100;
  const waiting = [];
  const options = {
    get url() {
      if (left-- > 0) request();
      return "http://a/";
    },
  };
  const request = () => waiting.push(g.http.makeHttpRequest(options).then(() => made++, () => undefined));
  request();
  await Promise.all(waiting);
  return made;
}
