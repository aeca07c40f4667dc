import { Type } from 'typebox'
import { changeReplies, NoContent } from './admin/schemas.ts'
import type { Resource } from './context.ts'
import { noteExport } from './security-lines.ts'

const FILES = ['trips', 'route', 'measurements', 'faults', 'statistics', 'visits', 'incidents'] as const

/** POST /exports: the console reports that it exported data to a file, for the security log. */
export const exports: Resource = server => {
  server.post(
    '/exports',
    {
      config: { access: 'any' },
      schema: {
        tags: ['Administration'],
        operationId: 'noteExport',
        summary: 'Say that a file is made',
        description:
          'Beyond the original document: for the security log, one line for a caller, kind of file and hour.',
        body: ExportBody,
        response: { 204: NoContent, ...changeReplies },
      },
    },
    async (request, reply) => {
      noteExport(request, request.body.file)
      return reply.code(204).send(null)
    },
  )
}

const ExportBody = Type.Object(
  {
    file: Type.Unsafe<(typeof FILES)[number]>({
      type: 'string',
      enum: FILES,
      description: 'What the file holds.',
      examples: ['trips'],
    }),
  },
  { title: 'Export', additionalProperties: false },
)
