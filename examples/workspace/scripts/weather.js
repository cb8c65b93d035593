// Looks a place up, then asks for its forecast. Open-Meteo needs no key for non-commercial use.
async function main() {
  const { place, country, days = 3 } = g.tool.args;
  const found = await getJson("https://geocoding-api.open-meteo.com/v1/search", {
    name: place,
    count: 1,
    language: "en",
    ...(country !== undefined && { countryCode: country.toUpperCase() }),
  });
  const spot = found.results?.[0];
  if (spot === undefined) return g.result.fail(`No place called "${place}"${country === undefined ? "" : ` in ${country.toUpperCase()}`}.`);

  const forecast = await getJson("https://api.open-meteo.com/v1/forecast", {
    latitude: spot.latitude,
    longitude: spot.longitude,
    current: "temperature_2m,weather_code,wind_speed_10m",
    daily: "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,wind_speed_10m_max",
    timezone: "auto",
    forecast_days: days,
  });
  const { current, daily } = forecast;
  return {
    place: [spot.name, spot.admin1, spot.country].filter((part) => part !== undefined).join(", "),
    timezone: forecast.timezone,
    now: { sky: skyText(current.weather_code), temperatureC: current.temperature_2m, windKmh: current.wind_speed_10m },
    days: daily.time.map((date, index) => ({
      date,
      sky: skyText(daily.weather_code[index]),
      maxC: daily.temperature_2m_max[index],
      minC: daily.temperature_2m_min[index],
      precipitationMm: daily.precipitation_sum[index],
      maxWindKmh: daily.wind_speed_10m_max[index],
    })),
  };
}

async function getJson(url, query) {
  const response = await g.http.makeHttpRequest({ url, query });
  if (!response.ok) throw new Error(`Open-Meteo answered ${response.status}`);
  return response.json();
}

// Codes of WMO table 4677, as far as Open-Meteo uses them.
function skyText(code) {
  if (code === 0) return "clear";
  if (code <= 2) return "partly cloudy";
  if (code === 3) return "overcast";
  if (code <= 48) return "fog";
  if (code <= 57) return "drizzle";
  if (code <= 67) return "rain";
  if (code <= 77) return "snow";
  if (code <= 82) return "rain showers";
  if (code <= 86) return "snow showers";
  return "thunderstorm";
}
