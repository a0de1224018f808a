import { type Json, canonical, sha256, toPlain } from '../../core/index.ts'
import { setMediaAside } from './media-aside.ts'
import { jsonBytes, stringBytes } from './json-bytes.ts'
import { CAP_MIN } from '../result.ts'
import type { CappedResult } from '../result.ts'

/** The minimum room for one member with its key, quotes and comma. */
const MEMBER_MIN = 64
const DIGEST_BYTES_MAX = 16_000_000
/** Room for the note about what was left out. */
const NOTE_BYTES = 96

/**
 * Converts a result to plain data and truncates it to at most `maxBytes` of JSON (never below 256). Small members are kept whole and large ones share
 * the rest, so that a status beside a large body survives; each truncation is marked at its place. Images and files are kept whole or replaced by
 * their names: half of one is useless, and a model does not read them as text.
 */
export function capResult(result: unknown, maxBytes: number): CappedResult {
  const { value, issues } = toPlain(result, true)
  const bytes = jsonBytes(value)
  const cap = Math.max(maxBytes, CAP_MIN)
  if (bytes <= cap) return { value, bytes, truncated: false, issues }
  // Only values that have to be truncated are measured by part: caching sizes takes longer than counting.
  const sizes = new WeakMap<object, number>()
  const media = setMediaAside(value)
  const rest = media?.rest ?? value
  const isWithin = media !== undefined && jsonBytes(rest, sizes) <= cap
  if (isWithin && !media.isOmitting) return { value, bytes, truncated: false, issues }
  // Hashing blocks the event loop, so the largest results are only identified by their size.
  const digest = bytes > DIGEST_BYTES_MAX ? {} : { sha256: sha256(canonical(value)) }
  const kept = isWithin ? rest : shrink(rest, cap, sizes)
  return { value: media?.putBack(kept) ?? kept, bytes, truncated: true, issues, ...digest }
}

function shrink(value: Json, budget: number, sizes: WeakMap<object, number>): Json {
  if (typeof value === 'string') return cutText(value, budget)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const kept = shrinkMembers(
      (value as readonly Json[]).map((item): Member => ['', item]),
      budget,
      sizes,
    )
    const items = kept.map(([, item]) => item)
    return kept.length < value.length ? [...items, `[cut: ${value.length - kept.length} more items]`] : items
  }
  const members = Object.entries(value)
  const kept = shrinkMembers(members, budget, sizes)
  const rest = members.length - kept.length
  return Object.fromEntries(rest > 0 ? [...kept, ['[cut]', `${rest} more members`]] : kept)
}

type Member = readonly [key: string, value: Json]

/** Keeps as many leading members as have room for something, then gives each what it needs or an equal share. */
function shrinkMembers(members: readonly Member[], budget: number, sizes: WeakMap<object, number>): Member[] {
  const needs = members.map(([key, value]) => ({ key: stringBytes(key) + 4, value: jsonBytes(value, sizes) }))
  let room = budget - NOTE_BYTES - 2
  let count = 0
  for (const need of needs) {
    const least = need.key + Math.min(need.value, MEMBER_MIN)
    if (least > room) break
    room -= least
    count++
  }
  const kept = needs.slice(0, count)
  const share = fairShare(
    kept.map((need) => need.value),
    budget - NOTE_BYTES - 2 - kept.reduce((sum, need) => sum + need.key, 0),
  )
  return members.slice(0, count).map(([key, value], index): Member => {
    const need = kept[index]!.value
    return [key, need <= share ? value : shrink(value, Math.max(share, MEMBER_MIN), sizes)]
  })
}

/** The largest share such that members that need less get all they need and the shares fit. */
function fairShare(needs: readonly number[], budget: number): number {
  let left = budget
  const sorted = needs.toSorted((a, b) => a - b)
  for (const [index, need] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (need > share) return share
    left -= need
  }
  return Infinity
}

function cutText(text: string, budget: number): string {
  const total = stringBytes(text)
  const note = (kept: number): string => `… [cut: ${kept} of ${total} bytes]`
  const room = budget - 2 - stringBytes(note(total))
  let kept = 0
  let end = 0
  while (end < text.length) {
    const size = stringBytes(text.slice(end, end + 1 + Number(isPairAt(text, end))))
    if (kept + size > room) break
    kept += size
    end += 1 + Number(isPairAt(text, end))
  }
  return text.slice(0, end) + note(kept)
}

function isPairAt(text: string, at: number): boolean {
  const high = text.charCodeAt(at)
  const low = text.charCodeAt(at + 1)
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff
}
