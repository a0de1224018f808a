import type { Guest } from '../guest.ts'
import { GuestNative } from './guest-native.ts'

/** The signal of an `AbortController`. It has no listeners: programs read `aborted`. */
export class GuestAbortSignal extends GuestNative {
  readonly receiver = 'abortsignal' as const
  readonly type = 'AbortSignal'
  isAborted = false
  reason: Guest = undefined

  get bytes(): number {
    return 96
  }

  override held(): readonly unknown[] {
    return [this.reason]
  }
}

/** An `AbortController`. */
export class GuestAbortController extends GuestNative {
  readonly receiver = 'abortcontroller' as const
  readonly type = 'AbortController'
  signal: GuestAbortSignal = new GuestAbortSignal()

  protected override get labelled(): GuestNative | undefined {
    return this.signal
  }

  get bytes(): number {
    return 64
  }

  override held(): readonly unknown[] {
    return [this.signal]
  }
}
