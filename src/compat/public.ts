// What `mandate/compat` offers: names and shapes of other agent libraries over the same API.
export {
  fromAtlasProvider,
  fromChatProvider,
  fromLlmClient,
  toAtlasProvider,
  toChatProvider,
  toLlmClient,
} from '../model/index.ts'
export type { AtlasProvider, ChatProvider, LlmClient } from '../model/index.ts'
export { Agent } from '../vm/index.ts'
