import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Incident } from '../api/types.ts'
import { Dialog, FormButtons } from '../dialog/dialog.tsx'
import { formatDateTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { withNewer } from '../live/changes.ts'
import { ErrorAlert } from '../states/error-state.tsx'
import type { IncidentList } from './incident.ts'
import { incidentQuery } from './incidents-query.ts'

interface AcknowledgedCardProps {
  readonly incident: Incident
  /** What happened to whom. */
  readonly title: string
}

/** Who has acknowledged an incident, with what note; or the button to do so. */
export function AcknowledgedCard({ incident, title }: AcknowledgedCardProps) {
  const texts = useTexts('incidents')
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  const takeBack = useAcknowledge(incident.id)
  const { acknowledged } = incident
  return (
    <Card withBorder component="section" aria-label={texts.seen}>
      <Stack gap="xs">
        <Title order={2} fz="h4">
          {texts.seen}
        </Title>
        {acknowledged ? (
          <>
            <Text>{texts.seenBy(acknowledged.by, formatDateTime(Date.parse(acknowledged.timestamp), language))}</Text>
            {acknowledged.note !== '' && (
              <Text fz="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {acknowledged.note}
              </Text>
            )}
            <ErrorAlert error={takeBack.error} />
            <Group gap="xs">
              <Button variant="default" onClick={() => setOpen(true)}>
                {texts.changeNote}
              </Button>
              <Button variant="subtle" loading={takeBack.isPending} onClick={() => takeBack.mutate(undefined)}>
                {texts.takeBack}
              </Button>
            </Group>
          </>
        ) : (
          <>
            <Text c="dimmed">{texts.notSeen}</Text>
            <Group>
              <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={() => setOpen(true)}>
                {texts.acknowledge}
              </Button>
            </Group>
          </>
        )}
      </Stack>
      {isOpen && <AcknowledgeDialog incident={incident} title={title} onClose={() => setOpen(false)} />}
    </Card>
  )
}

interface AcknowledgeDialogProps {
  readonly incident: Incident
  /** What happened to whom. */
  readonly title: string
  readonly onClose: () => void
}

/** Says that the person has seen an incident, with a note if there is something to say. */
export function AcknowledgeDialog({ incident, title, onClose }: AcknowledgeDialogProps) {
  const texts = useTexts('incidents')
  const [note, setNote] = useState(incident.acknowledged?.note ?? '')
  const acknowledge = useAcknowledge(incident.id)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    acknowledge.mutate(note.trim(), { onSuccess: onClose })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={texts.note}
            description={texts.noteHint}
            value={note}
            onChange={event => setNote(event.currentTarget.value)}
            maxLength={1000}
            data-autofocus
          />
          <FormButtons
            error={acknowledge.error}
            isPending={acknowledge.isPending}
            onCancel={onClose}
            action={texts.acknowledge}
          />
        </Stack>
      </form>
    </Dialog>
  )
}

/** Says that somebody has seen an incident, with a note; `undefined` takes it back. Lists show it at once. */
export function useAcknowledge(incidentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (note: string | undefined): Promise<Incident> => {
      const path = { incidentId }
      return note === undefined
        ? ask('DELETE /cc/v2.0/incidents/{incidentId}/acknowledgement', { path })
        : ask('POST /cc/v2.0/incidents/{incidentId}/acknowledgement', { path, body: { note } })
    },
    onSuccess: changed => {
      client.setQueryData(incidentQuery(incidentId).queryKey, changed)
      client.setQueriesData<IncidentList>(
        { queryKey: ['incidents', 'list'] },
        known => known && { ...known, incidents: withNewer(known.incidents, [changed]) },
      )
      void client.invalidateQueries({ queryKey: ['incidents', 'unseen'] })
    },
  })
}
