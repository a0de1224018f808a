/** The original run of a fork, and the place where it was forked. */
export interface ForkOrigin {
  /** The id of the original run. */
  readonly run: string
  /** The last entry that both share. */
  readonly seq: number
  /** The hash of that entry. */
  readonly hash: string
  /** When it was forked, in milliseconds since 1970: the shared entries have the times of the original run. */
  readonly at?: number | undefined
  /** The active time of the shared part. */
  readonly activeMs?: number | undefined
}
