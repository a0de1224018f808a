/** The last part of the key under which the overseer's own model call stands, below the call it is about. */
export const OVERSEER_KEY = 'overseer'
/** The note that begins the counting anew. */
export const OVERSEER_RESET = 'overseer-reset'
