import { userMessage } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { Loop } from '../loop/loop.ts'
import type { PlannerState } from './strategies.ts'

/** Returns the state that is passed to custom strategies. */
export function plannerState(loop: Loop, context: RunContext, turn: number): PlannerState {
  return {
    turn,
    prompt: loop.prompt,
    // A copy, because a planner may keep it while the transcript grows.
    messages: [...loop.transcript.messages],
    lastActions: loop.lastActions(),
    tools: loop.setup.tools,
    turnsLeft: loop.pins.maxTurns - turn,
    now: () => context.now(),
    random: () => context.random(),
    perform: (effect) => context.perform(effect),
  }
}

/** Appends a message to the conversation and the journal. */
export function addMessage(loop: Loop, context: RunContext, message: Message): void {
  context.append(message)
  loop.transcript.push(message)
}

/** Appends a text as a user message. */
export function tellModel(loop: Loop, context: RunContext, text: string): void {
  addMessage(loop, context, userMessage(text))
}

/** Emits text that no model streamed to the text listeners. */
export function sayAloud(loop: Loop, context: RunContext, text: string): void {
  if (text === '') return
  loop.say(text)
  context.emit('text-delta', { text })
}
