import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, AgentService, defineService, defineTool, mandateMiddleware, withSettings } from 'mandate'
import * as chat from 'mandate/chat'
import { LoopAgent } from 'mandate/compat'
import { secretRedactor } from 'mandate/redact'
import { defineAgentType } from 'mandate'
import * as connect from 'mandate/connect'
import { restateEngine } from 'mandate/engine'
import { checkExpr, compileExpr, parseCondition } from 'mandate/expr'
import * as graphs from 'mandate/graph'
import { fileContext } from '../../src/connect/index.ts'
import { checkConfig, readConfig } from '../../src/agent/index.ts'
import { literal, member } from '../../src/expr/index.ts'
import { methodCall } from '../../src/expr/nodes/method-call.ts'
import { Budget, createGate } from '../../src/gate/index.ts'
import { definePolicy, explainDecision } from 'mandate/gate'
import { memoryJournal, verifyExport } from 'mandate/journal'
import * as mcp from 'mandate/mcp'
import * as memory from 'mandate/memory'
import * as model from 'mandate/model'
import * as repl from 'mandate/repl'
import { openTelemetry } from 'mandate/otel'
import { dbosEngine } from 'mandate/engine'
import * as postgres from 'mandate/postgres'
import { postgresDatabase, postgresMemory, postgresPrompts } from '../../src/store/postgres/data/postgres-data.ts'
import * as redis from 'mandate/redis'
import { redisDatabase, redisMemory, redisPrompts } from '../../src/store/redis/redis-data.ts'
import { Kernel, databaseOver, memoryOver, promptsOver } from 'mandate/kit'
import { Registry } from '../../src/run/index.ts'
import { auditStore } from 'mandate/run'
import { httpServer, mcpServer, webhooks } from 'mandate/server'
import { studioPart } from '../../src/server/index.ts'
import * as evals from 'mandate/evals'
import * as sqlite from 'mandate/sqlite'
import * as team from 'mandate/team'
import { captureEvents, faultyJournal, fileCassette, testAgent } from 'mandate/testing'
import { sampleRun } from '../../src/testing/index.ts'
import { definePack, toolFrom } from '../../src/tool/index.ts'
import { askUser, sleep, toolRegistry, toolsFrom, waitUntil } from 'mandate/tool'
import * as vm from 'mandate/vm'
import { programMind } from '../../src/vm/mind/program-mind.ts'
import { lateModel } from '../../src/model/index.ts'

export type Call = (options: never) => unknown

const agent = (): Agent => new Agent({ id: 'a', model: model.scripted(['Done.']) })
const service = (): AgentService => agent().service
const view = (): ReturnType<AgentService['as']> => service().as({ id: 'ana', roles: ['owner'] })
const aiModel = { specificationVersion: 'v3', provider: 'p', modelId: 'm', supportedUrls: {} } as never
const tools = toolRegistry()
const database = memory.inMemoryDatabase()
const port = {} as never
const sources = { providers: {} } as never
const registry = new Registry()
const program = { mandate: 1, op: 'seq', steps: [] } as never
const folder = mkdtempSync(join(tmpdir(), 'mandate-options-'))
const dataClients = sqlite.sqliteData({ path: join(folder, 'data.db') })
const kept = (): ReturnType<typeof connect.documents> => connect.documents({ database: memory.inMemoryDatabase() })
const noTool = { name: 't', run: () => 1 }

const talk = (): chat.Conversations => new chat.Conversations(service())
const chatAgent = (): chat.ChatAgent => chat.agent({ id: 'c', model: model.scripted(['Done.']) })

const evalSuite: evals.EvalSuite = {
  name: 'e',
  agent: { id: 'e', model: model.scripted(['Done.']) },
  tasks: [{ input: 'Hi.', checks: ['steps == 1'] }],
}

/** How each of them is called with options of one misspelt name. */
export const CALLS: Readonly<Record<string, Call>> = {
  'AgentRuntime.constructor: AgentRuntimeOptions': (o) => new chat.AgentRuntime(chatAgent(), undefined, o),
  'Atlas.ask: AskOptions': (o) => new chat.Atlas({ agents: [chatAgent()] }).ask('Hi.', o),
  'Atlas.constructor: AtlasOptions': (o) => new chat.Atlas(o),
  'Atlas.send: AskOptions': (o) => new chat.Atlas({ agents: [chatAgent()] }).send('Hi.', o).finalMessage,
  'Conversations.constructor: ConversationsOptions': (o) => new chat.Conversations(service(), o),
  'ConversationsAs.create: CreateConversationOptions': (o) => talk().create(o),
  'ConversationsAs.fork: ForkConversationOptions': (o) => talk().fork('c', o),
  'ConversationsAs.list: ListConversationsOptions': (o) => talk().list(o),
  'ConversationsAs.send: SendOptions': (o) => talk().send('c', 'Hi.', o).finalMessage,
  'agent: ChatAgentOptions': (o) => chat.agent(o),
  'conversationToProviderRequest: AtlasOptions': (o) =>
    chat.conversationToProviderRequest({ id: 'c', messages: [] }, chatAgent(), o),
  'tool: ChatToolDefinition': (o) => chat.tool(o, () => 1),
  'GraphRegistry.alias: RegisterOptions': (o) => graphs.graphRegistry(service()).alias('tool', 'a', 'b', o),
  'GraphRegistry.registerModel: RegisterOptions': (o) =>
    graphs.graphRegistry(service()).registerModel('m', model.scripted(['Done.']), o),
  'GraphRegistry.registerReducer: RegisterOptions': (o) =>
    graphs.graphRegistry(service()).registerReducer('r', () => 1, o),
  'GraphRegistry.registerRouter: RegisterOptions': (o) =>
    graphs.graphRegistry(service()).registerRouter('r', () => 'a', o),
  'GraphReviews.request: ReviewOptions': (o) => graphs.graphReviews(service()).request(port, o),
  'compileRag: CompileRagOptions': (o) => graphs.compileRag('', o),
  'defineGraph: GraphOptions': (o) => graphs.defineGraph(o),
  'mapReduce: MapOptions': (o) => graphs.mapReduce(port, [], o, () => 1),
  'registerGraph: RegisterGraphOptions': (o) => graphs.registerGraph(service(), port, o),
  'renderDiagnostics: RenderOptions': (o) => graphs.renderDiagnostics('', [], o),
  'readBlueprint: ReadOptions': (o) => graphs.readBlueprint({}, o),
  'checkConfig: AgentConfig': (o) => checkConfig(o),
  'readConfig: AgentConfig': (o) => readConfig(o),
  'chainTeam: ChainTeamOptions': (o) => team.chainTeam(o),
  'assertEval: AssertEvalOptions': (o) => evals.assertEval({ total: {}, attempts: [], ok: true } as never, o),
  'evaluate: EvalOptions': (o) => evals.evaluate(evalSuite, o),
  "benchmark: Omit<EvalOptions, 'baseline'>": (o) => evals.benchmark({ ...evalSuite, variants: { a: {} } }, o),
  'runMetrics: MetricsFilter': (o) => evals.runMetrics(memoryJournal(), o),
  'handoffTeam: HandoffTeamOptions': (o) => team.handoffTeam(o),
  'plannedTeam: PlannedTeamOptions': (o) => team.plannedTeam(o),
  'routeByRole: RoleOptions': (o) => team.routeByRole({ a: ['x'] }, o),
  'routeBySupervisor: SupervisorRouteOptions': (o) => team.routeBySupervisor(o),
  'routedTeam: RoutedTeamOptions': (o) => team.routedTeam(o),
  'supervisorTeam: SupervisorTeamOptions': (o) => team.supervisorTeam(o),
  'updateState: UpdateStateOptions': (o) => graphs.updateState(service(), 'r', {}, o),
  'runGraph: RunGraphOptions': (o) => graphs.runGraph(service(), 'g', {}, o),
  'Documents.index: IndexOptions': (o) => kept().index([], o),
  'Documents.search: PassageSearchOptions': (o) => kept().search('hello', o),
  'Documents.tool: SearchToolOptions': (o) => kept().tool(o),
  'documents: DocumentsOptions': (o) => connect.documents(o),
  'askUser: AskUserOptions': (o) => askUser(o),
  'AgentService.standingApprovals: RuleApprovalFilter': (o) => service().standingApprovals(o),
  'ServiceAs.standingApprovals: RuleApprovalFilter': (o) => view().standingApprovals(o),
  'LoopAgent.constructor: CompatAgentConfig': (o) => new LoopAgent(o),
  'pricesFrom: PricesFromOptions': (o) => model.pricesFrom({}, o),
  'withSettings: ServiceOptions': (o) => withSettings(o, {}),
  'postgresDatabase: PostgresDataOptions': (o) => postgresDatabase(o),
  'postgresMemory: PostgresDataOptions': (o) => postgresMemory(o),
  'postgresPrompts: PostgresOptions': (o) => postgresPrompts(o),
  'redisDatabase: RedisDataOptions': (o) => redisDatabase(o),
  'redisMemory: RedisDataOptions': (o) => redisMemory(o),
  'redisPrompts: RedisOptions': (o) => redisPrompts(o),
  'Agent.constructor: AgentConfig': (o) => new Agent(o),
  'Agent.createSession: SessionOptions': (o) => agent().createSession(o),
  'Agent.resume: ResumeOptions': (o) => agent().resume('run_1', o),
  'Agent.run: SessionRunOptions': (o) => agent().run('Hello', o),
  'AgentService.approve: ApproveOptions': (o) => service().approve('run_1-ap3', o),
  'AgentService.audit: AuditOptions': (o) => service().audit(o),
  'AgentService.constructor: ServiceOptions': (o) => new AgentService(o),
  'AgentService.createOnDemand: OnDemandOptions': (o) => service().createOnDemand(o),
  'AgentService.createSession: SessionOptions': (o) => service().createSession('a', o),
  'AgentService.fork: ForkOptions': (o) => service().fork('run_1', o),
  'AgentService.register: AgentConfig': (o) => service().register(o),
  'AgentService.resume: ResumeOptions': (o) => service().resume('run_1', o),
  'AgentService.run: RunOptions': (o) => service().run('a', 'Hello', o),
  'AgentService.runOnce: RunOnceOptions': (o) => service().runOnce('a', o),
  'AgentService.runs: RunFilter': (o) => service().runs(o),
  'AgentService.verify: VerifyOptions': (o) => service().verify('run_1', o),
  'AgentSession.run: SessionRunOptions': (o) => agent().createSession().run('Hello', o),
  'ServiceAs.approve: ApproveOptions': (o) => view().approve('run_1-ap3', o),
  'ServiceAs.steer: SteerOptions': (o) => view().steer('run_1', 'Hi.', o),
  'ServiceAs.audit: AuditOptions': (o) => view().audit(o),
  "ServiceAs.createOnDemand: Omit<OnDemandOptions, 'owner'>": (o) => view().createOnDemand(o),
  "ServiceAs.createSession: Omit<SessionOptions, 'identity'>": (o) => view().createSession('a', o),
  "ServiceAs.fork: Omit<ForkOptions, 'identity'>": (o) => view().fork('run_1', o),
  'ServiceAs.inbox: InboxOptions': (o) => view().inbox(o),
  'ServiceAs.register: AgentConfig': (o) => view().register(o),
  "ServiceAs.resume: Omit<ResumeOptions, 'identity'>": (o) => view().resume('run_1', o),
  "ServiceAs.run: Omit<RunOptions, 'identity'>": (o) => view().run('a', 'Hello', o),
  'ServiceAs.runs: RunFilter': (o) => view().runs(o),
  'ServiceAs.verify: VerifyOptions': (o) => view().verify('run_1', o),
  'AgentVM.run: VmRunOptions': (o) => new vm.AgentVM().run(program, {}, o),
  'Budget.constructor: BudgetLimits': (o) => new Budget(o),
  'Budget.constructor: BudgetOptions': (o) => new Budget({}, o),
  'Budget.setLimits: BudgetLimits': (o) => new Budget().setLimits(o),
  'DataClients.database: DataClientOptions': (o) => dataClients.database(o),
  'DataClients.memory: DataClientOptions': (o) => dataClients.memory(o),
  'DataClients.prompts: PromptClientOptions': (o) => dataClients.prompts(o),
  'DatabaseClient.query: DatabaseQueryOptions': (o) => database.query('c', {}, o),
  'DatabaseClient.search: DatabaseSearchOptions': (o) => database.search('x', o),
  'DatabaseClient.trim: TrimLimits': (o) => database.trim(o),
  'DatabaseClient.write: WriteOptions': (o) => database.write('c', 'k', 1, o),
  'DatabaseClient.writeIf: WriteIfOptions': (o) => database.writeIf('c', 'k', 1, o),
  'Eval: EvalOptions': (o) => vm.Eval('1', o),
  'EventCapture.expectSequence: SequenceOptions': (o) => captureEvents(service()).expectSequence([], o),
  'Kernel.audit: AuditOptions': (o) => new Kernel().audit(o),
  'Kernel.begin: RunSpec': (o) => new Kernel().begin(o),
  'Kernel.constructor: KernelOptions': (o) => new Kernel(o),
  'Kernel.fork: ForkOptions': (o) => new Kernel().fork('run_1', o),
  'Kernel.list: RunFilter': (o) => new Kernel().list(o),
  'Kernel.respond: ApprovalResponse': (o) => new Kernel().respond('run_1-ap3', o),
  'Kernel.resume: KernelResumeOptions': (o) => new Kernel().resume('run_1', o),
  'Kernel.resuming: KernelResumeOptions': (o) => new Kernel().resuming('run_1', o),
  'Kernel.run: RunSpec': (o) => new Kernel().run(o),
  'Kernel.inbox: InboxOptions': (o) => new Kernel().inbox(o),
  'AgentService.inbox: InboxOptions': (o) => new AgentService().inbox(o),
  'Kernel.verify: VerifyOptions': (o) => new Kernel().verify('run_1', o),
  'MemoryClient.append: WriteOptions': (o) => memory.inMemory().append('s', 1, o),
  'MemoryClient.read: MemoryReadOptions': (o) => memory.inMemory().read('s', o),
  'MemoryClient.search: MemorySearchOptions': (o) => memory.inMemory().search('x', o),
  'MemoryClient.trim: TrimLimits': (o) => memory.inMemory().trim(o),
  'PromptStore.render: RenderOptions': (o) => memory.inMemoryPrompts().render('p', {}, o),
  "SafeFunction: Omit<EvalOptions, 'vars'>": (o) => vm.SafeFunction([], 'return 1', o),
  'TestAgent.run: RunOptions': (o) => testAgent({}, { script: ['Done.'] }).run('Hello', o),
  'TestAgent.start: RunOptions': (o) => testAgent({}, { script: ['Done.'] }).start('Hello', o),
  'ToolRegistry.register: RegisterOptions': (o) => tools.register(noTool, o),
  'ToolRegistry.registerPack: RegisterOptions': (o) =>
    tools.registerPack(definePack({ name: 'p', version: '1.0.0', tools: [noTool] }), o),
  'auditStore: AuditOptions': (o) => auditStore(memoryJournal(), o),
  'cassette: CassetteOptions': (o) => model.cassette(o),
  'checkExpr: ExprLimits': (o) => checkExpr(1, o),
  'compileExpr: CompileOptions': (o) => compileExpr(literal(1), o),
  'connectMcp: McpOptions': (o) => mcp.connectMcp({ command: 'none' }, o),
  'connectMcp: McpServer': (o) => mcp.connectMcp('url' in (o as object) ? o : { command: 'none', ...(o as object) }),
  'createGate: GateOptions': (o) => createGate(o),
  'databaseOver: RecordOptions': (o) => databaseOver(port, o),
  'defineAgentType: AgentType': (o) => defineAgentType(o),
  'definePack: PackDefinition': (o) => definePack(o),
  'definePolicy: Policy': (o) => definePolicy(o),
  'defineService: ServiceOptions': (o) => defineService(o),
  'defineTool: DefineOptions': (o) => defineTool(noTool, o),
  'defineTool: ToolDefinition': (o) => defineTool({ ...noTool, ...(o as object) }),
  'explainDecision: GateOptions': (o) => explainDecision(o, {} as never),
  'faultyJournal: FaultPlan': (o) => faultyJournal(memoryJournal(), o),
  'fileCassette: FileCassetteOptions': (o) => fileCassette(join(folder, 'tape.json'), o),
  'fileTools: FileToolOptions': (o) => connect.fileTools(o),
  'fromAiSdk: FromAiSdkOptions': (o) => model.fromAiSdk(aiModel, o),
  'fromAiSdkEmbedding: FromAiSdkEmbeddingOptions': (o) => model.fromAiSdkEmbedding(aiModel, o),
  'httpFetch: HttpFetchOptions': (o) => connect.httpFetch(o),
  'hydrate: HydrateOptions': (o) => memory.hydrate(memory.inMemory(), database, o),
  'inMemory: InMemoryOptions': (o) => memory.inMemory(o),
  'inMemoryDatabase: InMemoryDatabaseOptions': (o) => memory.inMemoryDatabase(o),
  'inMemoryPrompts: InMemoryPromptsOptions': (o) => memory.inMemoryPrompts(o),
  'kv: KvOptions': (o) => connect.kv(o),
  "lateModel: Omit<FromAiSdkOptions, 'id'>": (o) => lateModel('openai/x', sources, o),
  'mandateMiddleware: MiddlewareOptions': (o) => mandateMiddleware(o),
  'ServiceAs.explain: ExplainOptions': (o) => view().explain(o),
  'httpServer: HttpServerOptions': (o) => httpServer(service(), o),
  'studioPart: StudioOptions': (o) => studioPart(o),
  'mcpServer: McpServerOptions': (o) => mcpServer(o),
  'mcpTools: McpServersOptions': (o) => mcp.mcpTools({ mcpServers: {} }, o),
  'member: MemberOptions': (o) => member(literal(1), literal('a'), o),
  'memoryOver: RecordOptions': (o) => memoryOver(port, o),
  'memoryStore: MemoryStoreOptions': (o) => vm.memoryStore(o),
  'memoryTools: MemoryToolsOptions': (o) => connect.memoryTools(o),
  "methodCall: Omit<MemberOptions, 'computed'>": (o) => methodCall(literal('a'), 'at', [], o),
  "modelById: Omit<FromAiSdkOptions, 'id'>": (o) => model.modelById('openai/x', sources, o),
  'ReplSession.evalCell: EvalCellOptions': async (o) => (await repl.ReplSession.open(service())).evalCell('1', o),
  'ReplSession.setPolicy: ReplPolicy': async (o) => (await repl.ReplSession.open(service())).setPolicy(o),
  "ReplSession.setCapabilities: Omit<CellMindOptions, 'script' | 'policy'>": async (o) =>
    (await repl.ReplSession.open(service())).setCapabilities(o),
  'registerCells: CellMindOptions': (o) => repl.registerCells(service(), 'other', o),
  'codeMode: CodeModeOptions': (o) => repl.codeMode(o),
  'contextOf: ContextOptions': (o) => repl.contextOf('text', o),
  'fileContext: FileContextOptions': (o) => fileContext(join(folder, 'none.txt'), o),
  'openTelemetry: OpenTelemetryOptions': (o) => openTelemetry(o),
  'dbosEngine: DbosEngineOptions': (o) => dbosEngine(o),
  'openPostgres: PostgresDataOptions': (o) => postgres.openPostgres(o),
  'openStore: OpenStoreOptions': (o) => sqlite.openStore(o),
  'parseCondition: ExprLimits': (o) => parseCondition('1 == 1', o),
  'postgresData: PostgresDataOptions': (o) => postgres.postgresData(o),
  'postgresJournal: PostgresOptions': (o) => postgres.postgresJournal(o),
  'programMind: ProgramMindOptions': (o) => programMind(program, registry, o),
  'promptsOver: PromptStoreOptions': (o) => promptsOver(port, o),
  'readMcpConfig: McpFileOptions': (o) => mcp.readMcpConfig('{"mcpServers":{}}', o),
  'readMcpFile: McpFileOptions': (o) => mcp.readMcpFile(join(folder, 'none.json'), o),
  'restateEngine: RestateOptions': (o) => restateEngine(o),
  'redisCounters: RedisCountersOptions': (o) => redis.redisCounters(o),
  'redisData: RedisDataOptions': (o) => redis.redisData(o),
  'registerProgram: ProgramMindOptions': (o) => vm.registerProgram(service(), program, o),
  "resolveEmbeddingModel: Omit<FromAiSdkEmbeddingOptions, 'id'>": (o) =>
    model.resolveEmbeddingModel('openai/x', sources, o),
  "resolveModel: Omit<FromAiSdkOptions, 'id'>": (o) => model.resolveModel('openai/x', sources, o),
  'retain: RetainOptions': (o) => sqlite.retain(memoryJournal(), o),
  'runProgram: RunProgramOptions': (o) => vm.runProgram(service(), program, {}, o),
  'sampleRun: SampleRunOptions': (o) => sampleRun('run_1', o),
  'script: ScriptOptions': (o) => vm.script('return 1', o),
  'scripted: ScriptedOptions': (o) => model.scripted(['x'], o),
  'secretRedactor: SecretRedactorOptions': (o) => secretRedactor(o),
  'selectModel: ModelNeed': (o) => model.selectModel([], o),
  'sessionFiles: SessionFilesOptions': (o) => sqlite.sessionFiles(o),
  'sleep: SleepOptions': (o) => sleep(o),
  'shellTool: ShellOptions': (o) => connect.shellTool(o),
  'sqlOverPostgres: SqlOverPostgresOptions': (o) => connect.sqlOverPostgres(o),
  'sqlOverSqlite: SqlOverSqliteOptions': (o) => connect.sqlOverSqlite(o),
  'sqlTools: SqlToolOptions': (o) => connect.sqlTools(o),
  'sqliteData: SqliteDataOptions': (o) => sqlite.sqliteData(o),
  'sqliteDatabase: SqliteDataOptions': (o) => sqlite.sqliteDatabase(o),
  'sqliteJournal: SqliteJournalOptions': (o) => sqlite.sqliteJournal(o),
  'sqliteMemory: SqliteDataOptions': (o) => sqlite.sqliteMemory(o),
  'sqlitePrompts: SqliteDataOptions': (o) => sqlite.sqlitePrompts(o),
  'testAgent: AgentConfig': (o) => testAgent(o),
  'testAgent: TestAgentOptions': (o) => testAgent({}, { script: ['Done.'], ...(o as object) }),
  'toolFrom: DefineOptions': (o) => toolFrom(noTool, o),
  "toolsFrom: Omit<DefineOptions, 'name'>": (o) => toolsFrom([noTool], o),
  'webhooks: WebhookOptions': (o) => webhooks(service(), o),
  'waitUntil: SleepOptions': (o) => waitUntil(o),
  'verifyExport: VerifyOptions': (o) => verifyExport({} as never, o),
}
