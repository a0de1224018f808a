/** The key of a runner's streamed text, which belongs to no effect. */
export const ANSWER_KEY = '#answer'

/** The keys of texts that are shown to the user: those of model calls, and that of a runner. Summaries, proposals and a planner's own calls are internal. */
export const SPEAKING: RegExp = /^(turn:\d+\/(model|code)(:\d+)?|#answer)$/
