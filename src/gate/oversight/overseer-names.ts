/** The last part of the key of the overseer's own model call, below the key of the call it is about. */
export const OVERSEER_KEY = 'overseer'
/** The note that resets the statistics. */
export const OVERSEER_RESET = 'overseer-reset'
