/** Keys of the model calls whose text is shown to the user. Summaries, proposals and a planner's own calls are internal. */
export const SPEAKING: RegExp = /^turn:\d+\/model(:\d+)?$/
