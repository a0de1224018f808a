import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import type { Part } from '../http/route.ts'
import { allEvents } from '../streams/all-events.ts'
import { AllFeed } from '../streams/all-feed.ts'
import { runEvents } from '../streams/run-events.ts'
import { RunFeeds } from '../streams/run-feeds.ts'
import { EventStreams } from '../streams/sse.ts'
import { agUiRoute } from './ag-ui.ts'
import { chatRoutes } from './chat.ts'
import { openAiRoutes } from './openai/openai.ts'

/** Returns the streaming part of a server: events of runs, and agents over the protocols of other clients. */
export function livePart(service: AgentService): Part {
  const { clock } = kernelOf(service)
  const feeds = new RunFeeds(service)
  const feed = new AllFeed(service.journal, clock)
  const streams = new EventStreams(clock)
  return {
    routes: [
      runEvents({ service, feeds, streams }),
      allEvents({ feed, streams }),
      ...chatRoutes({ service, feeds }),
      agUiRoute({ service }),
      ...openAiRoutes({ service }),
    ],
    close() {
      streams.close()
      feeds.close()
      feed.stop()
    },
  }
}
