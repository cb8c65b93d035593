// Requests go to the hosts in "allowedHosts" only. For an API with a key, see "headers" in the documentation of tools.json.
async function main() {
  const { latitude, longitude } = g.tool.args;
  const response = await g.http.makeHttpRequest({
    url: "https://api.open-meteo.com/v1/forecast",
    query: { latitude, longitude, current: "temperature_2m,wind_speed_10m" },
  });
  if (!response.ok) return g.result.fail(`Open-Meteo answered ${response.status}.`);
  const { current } = response.json();
  return { time: current.time, temperatureC: current.temperature_2m, windKmh: current.wind_speed_10m };
}
