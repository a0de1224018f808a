/** What can be done about a run that is damaged behind an entry: a fork needs at least the first one. */
export function restoreAdvice(what: string, seq: number): string {
  return seq > 0
    ? `Restore ${what} from a backup or fork the run at ${seq}.`
    : `Restore ${what} from a backup; there is nothing before it that the run could be forked from.`
}
