/** What a clock on the wall says: days and times of a time zone, and when cron comes next. */
export interface Calendar {
  /** The day, `YYYY-MM-DD`. @throws VarveError INVALID_INPUT for an unknown zone */
  dayOf(at: number, timeZone: string): string;
  /** Hours and minutes, `HH:MM`. @throws VarveError INVALID_INPUT for an unknown zone */
  timeOf(at: number, timeZone: string): string;
  /**
   * The first time after `after` that five fields of cron name, in milliseconds since the epoch;
   * null where there is none within the reach of the library. Where both days are given, of the
   * month and of the week, either will do. Where minutes and hours are numbers, a time that
   * daylight saving leaves out comes as soon as the clock is past it, and one that it repeats comes
   * once; every other minute or hour (`*`, or a step) is of every hour that there is.
   * @throws VarveError INVALID_INPUT
   */
  nextTime(cron: string, timeZone: string, after: number): number | null;
}
