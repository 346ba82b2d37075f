/** Days and times of a time zone, and the next time of a cron expression. */
export interface Calendar {
  /** The day, `YYYY-MM-DD`. @throws VarveError INVALID_INPUT for an unknown zone */
  dayOf(at: number, timeZone: string): string;
  /** Hours and minutes, `HH:MM`. @throws VarveError INVALID_INPUT for an unknown zone */
  timeOf(at: number, timeZone: string): string;
  /**
   * Returns the first time after `after` that matches a cron expression of five fields, in
   * milliseconds since the epoch; null if the library finds none. If both the day of the month and
   * the day of the week are given, either one matches. With numbers for minute and hour, a time
   * that daylight saving skips runs as soon as the clock has passed it, and a time that it repeats
   * runs once. With `*` or a step, every minute or hour that exists counts.
   * @throws VarveError INVALID_INPUT
   */
  nextTime(cron: string, timeZone: string, after: number): number | null;
}
