/** Untrusted code, as a model might have written it. */

/** TypeScript: takes rows with dates, and returns a Map, a typed array and dates. */
export const AGGREGATE = `
type Month = { rain: number; days: number; highest: number };
const months = new Map<string, Month>();
for (const day of days) {
  const key: string = day.date.toISOString().slice(0, 7);
  const month = months.get(key) ?? { rain: 0, days: 0, highest: -Infinity };
  month.rain += day.precipitation;
  month.days++;
  month.highest = Math.max(month.highest, day.high);
  months.set(key, month);
}
const wettest = days.reduce((a, b) => (b.precipitation > a.precipitation ? b : a));
return {
  months,
  highs: Float64Array.from(days, (day) => day.high),
  from: days[0].date,
  to: days.at(-1).date,
  wettest: wettest.date,
};
`;

/** Calls a tool of the host three times in parallel. */
export const PARALLEL_TOOLS = `
const years = await Promise.all([2012, 2013, 2014].map((year) => sunnyDays({ year })));
console.log('asked for', years.length, 'years in parallel');
return Object.fromEntries(years.map(({ year, count }) => [year, count]));
`;

export const ENDLESS = `for (;;);`;

/** V8 aborts the whole process of this code, not only the isolate. */
export const MAP_BOMB = `
const map = new Map();
for (let i = 0; ; i++) map.set(i, i);
`;
