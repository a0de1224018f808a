import type { AgentService } from '../../agent/index.ts'
import { liveTextsOf } from './live-texts.ts'
import type { LiveTexts } from './live-texts.ts'
import { RunFeed } from './run-feed.ts'

/** The feeds of the runs that clients follow. A feed is shared by all clients of its run, and stops when the last of them leaves. */
export class RunFeeds {
  readonly #service: AgentService
  readonly #texts: LiveTexts
  readonly #stop: () => void
  readonly #feeds = new Map<string, { readonly feed: RunFeed; users: number }>()

  constructor(service: AgentService) {
    this.#service = service
    this.#texts = liveTextsOf(service.events)
    this.#stop = this.#texts.onText((text) => this.#feeds.get(text.run)?.feed.addText(text))
  }

  get size(): number {
    return this.#feeds.size
  }

  /** Returns the feed of a run, and the function that leaves it. */
  join(run: string): { readonly feed: RunFeed; readonly leave: () => void } {
    let open = this.#feeds.get(run)
    if (open === undefined) {
      const { journal, events } = this.#service
      const texts = this.#texts
      const feed = new RunFeed({
        ...{ run, journal, events },
        texts: () => texts.of(run),
        // For a run that another process drives, only the journal reports the end of a call.
        over: (key) => (key === undefined ? texts.dropAll(run) : texts.drop(run, key)),
      })
      this.#feeds.set(run, (open = { feed, users: 0 }))
    }
    const { feed } = open
    open.users++
    let isLeft = false
    return {
      feed,
      leave: () => {
        if (isLeft) return
        isLeft = true
        if (--open.users > 0) return
        feed.stop()
        if (this.#feeds.get(run) === open) this.#feeds.delete(run)
      },
    }
  }

  close(): void {
    this.#stop()
    for (const { feed } of this.#feeds.values()) feed.stop()
    this.#feeds.clear()
  }
}
