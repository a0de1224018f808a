/** The calls by which an agent speaks. Summaries, proposals and a planner's own questions are not said to anyone. */
export const SPEAKING: RegExp = /^turn:\d+\/model(:\d+)?$/
