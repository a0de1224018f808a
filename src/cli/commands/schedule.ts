import type { AgentService, Schedule, ScheduleInfo } from '../../agent/index.ts'
import { MandateError, systemClock } from '../../core/index.ts'
import { EXIT, exitCodeOfSignal } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { withService } from '../host.ts'
import { untilStopped } from '../interrupt.ts'
import { findConfig, loadService } from '../load-module.ts'
import { dateTime, moment, printList } from '../terminal/layout.ts'
import { note, print } from '../output.ts'
import { TIME_UNITS, chooseAction, need, readBudget } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'
import { hint } from '../help/own-command.ts'

const USAGE = usageOf('schedule')

/** Manages agents that run at set times. */
export const scheduleCommand: Command = {
  run(flags, words) {
    const work = chooseAction(ACTIONS, { command: 'schedule', usage: USAGE }, words)
    // The run that stores a schedule is not shown; the runs that it starts are.
    return withConfig(flags, { quiet: work !== run, onlyReads: work === list }, (service) =>
      work(flags, service, words.slice(1)),
    )
  },
}

type Action = (flags: Flags, service: AgentService, words: readonly string[]) => Promise<number>

const ACTIONS: Readonly<Record<string, Action>> = { put, list, remove, run }

async function withConfig(
  flags: Flags,
  shown: { readonly quiet: boolean; readonly onlyReads: boolean },
  work: (service: AgentService) => Promise<number>,
): Promise<number> {
  const file = flags.file ?? findConfig()
  if (file === undefined)
    throw new MandateError('CONFIG_INVALID', 'There is no mandate.config.ts here. Write one, or add --file <file>.')
  return withService(flags, (await loadService(file)).loaded, work, shown)
}

async function put(flags: Flags, service: AgentService, words: readonly string[]): Promise<number> {
  if ((flags.cron === undefined) === (flags.every === undefined))
    throw new MandateError('INPUT_INVALID', 'Give a time, with one of these: --cron "0 9 * * 1-5" or --every 12h.')
  const schedule: Schedule = {
    id: need(words, 0, USAGE),
    agent: need(words, 1, USAGE),
    prompt: [need(words, 2, USAGE), ...words.slice(3)].join(' '),
    ...(flags.cron === undefined ? {} : { cron: flags.cron }),
    ...(flags.every === undefined ? {} : { everyMs: readInterval(flags.every) }),
    ...(flags.zone === undefined ? {} : { timeZone: flags.zone }),
    ...(flags.budget === undefined ? {} : { budget: readBudget(flags.budget) }),
  }
  const info = await service.schedules.put(schedule)
  print(flags, info, () => `${info.id} is due next at ${dateTime(info.nextAt)}`)
  hint('Due schedules are run by a process that must be up, such as: mandate schedule run')
  return EXIT.ok
}

async function list(flags: Flags, service: AgentService): Promise<number> {
  const infos = await service.schedules.list()
  const now = systemClock.now()
  printList(flags, infos, {
    heads: ['schedule', 'when', 'next', 'what'],
    row: (info) => [info.id, whenOf(info), moment(info.nextAt, now), whatOf(info)],
    none: 'There is no schedule. Add one with: mandate schedule put',
  })
  return EXIT.ok
}

async function remove(flags: Flags, service: AgentService, words: readonly string[]): Promise<number> {
  const id = need(words, 0, USAGE)
  await service.schedules.remove(id)
  print(flags, { id, removed: true }, () => '')
  note(`${id} is removed`)
  return EXIT.ok
}

/** Runs the schedules until a stop signal. */
async function run(flags: Flags, service: AgentService): Promise<number> {
  await service.schedules.start()
  if (flags.json) print(flags, { state: 'up', pid: process.pid }, () => '')
  note('carrying out schedules; Ctrl-C stops')
  const { signal } = await untilStopped(
    (stop) => new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true })),
  )
  return signal === undefined ? EXIT.ok : exitCodeOfSignal(signal)
}

function whenOf({ cron, everyMs, timeZone }: ScheduleInfo): string {
  return cron === undefined ? `every ${interval(everyMs!)}` : [cron, timeZone ?? ''].join(' ').trim()
}

/** Formats an interval in the largest unit that gives a whole number, as typed for `--every`. */
function interval(ms: number): string {
  const [unit, size] = Object.entries(TIME_UNITS).findLast(([, length]) => ms % length === 0) ?? ['s', 1_000]
  return `${ms / size} ${unit === 'm' ? 'min' : unit}`
}

function whatOf({ agent, prompt, wake, message }: ScheduleInfo): string {
  return agent === undefined ? `wakes ${wake}: ${message}` : `${agent}: ${prompt}`
}

function readInterval(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/u.exec(text) ?? []
  if (unit !== undefined) return Number(amount) * TIME_UNITS[unit]!
  throw new MandateError('INPUT_INVALID', `--every must be a time such as 30s, 5m, 12h or 1d, not "${text}".`)
}
