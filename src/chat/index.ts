export { AgentRuntime } from './agent-runtime.ts'
export type { AgentChatStream } from './agent-runtime.ts'
export { agentChatResult } from './turn/chat-result.ts'
export type { AgentChatResult } from './turn/chat-result.ts'
export { Atlas } from './atlas/atlas.ts'
export type { AtlasEvents } from './atlas/atlas-events.ts'
export type { AtlasOptions, AtlasPlugin } from './atlas/atlas-options.ts'
export type { MultiAgentStrategy } from './atlas/agent-strategy.ts'
export { agent, tool } from './chat-agent.ts'
export type { ChatAgent, ChatAgentOptions, ChatTool, ToolHandlerContext } from './chat-agent.ts'
export type { SendOptions } from './conversation/conversation-room.ts'
export type { ConversationStore } from './conversation/conversation-store.ts'
export { Conversations } from './conversation/conversations.ts'
export type { ConversationsAs, StoredConversation } from './conversation/conversations.ts'
export { databaseConversations } from './conversation/database-conversations.ts'
export { chatText } from './message/chat-message.ts'
export type { ChatMessage, Conversation } from './message/chat-message.ts'
export { conversationToProviderRequest, providerChunksToAssistantMessage } from './provider/conversation-request.ts'
export { toAtlasProvider } from './provider/model-provider.ts'
export { ProviderError } from './provider/provider-error.ts'
export { fromAtlasProvider } from './provider/provider-model.ts'
export { ProviderRegistry } from './provider/provider-registry.ts'
export type { Provider, ProviderRequest, ProviderResponseChunk } from './provider/provider-types.ts'
export {
  callPart,
  plainCall,
  plainMessages,
  plainTools,
  readPlainMessages,
  readPlainTools,
} from './provider/plain-messages.ts'
export type { PlainMessage } from './provider/plain-messages.ts'
export { lossOf, readReason, readUntilCut, readUsage, resultText } from './provider/plain-parts.ts'
export { answerWith, badAnswer, checkShape } from './provider/shape-check.ts'
export type { AtlasStream } from './turn/atlas-stream.ts'
