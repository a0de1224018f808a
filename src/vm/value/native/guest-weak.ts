import type { Guest } from '../guest.ts'
import { GuestNative } from './guest-native.ts'

/** A `WeakMap` or `WeakSet`: a collection that cannot be listed, so its content is freed with it. */
export class GuestWeak extends GuestNative {
  readonly receiver: 'weakmap' | 'weakset'
  readonly entries: Map<Guest, Guest> = new Map()

  constructor(receiver: 'weakmap' | 'weakset') {
    super()
    this.receiver = receiver
  }

  get type(): string {
    return this.receiver === 'weakmap' ? 'WeakMap' : 'WeakSet'
  }

  get bytes(): number {
    return 96 + this.entries.size * 64
  }

  override held(): readonly unknown[] {
    return [...this.entries].flat()
  }
}
