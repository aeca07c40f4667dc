import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../administration/dialog.tsx'
import type { Incident } from '../api/types.ts'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../states/error-alert.tsx'
import { incidentsTexts } from './texts.ts'
import { useAcknowledge } from './use-acknowledge.ts'

interface AcknowledgeDialogProps {
  readonly incident: Incident
  /** What happened to whom. */
  readonly title: string
  readonly onClose: () => void
}

/** Says that the person has seen an incident, with a note if there is something to say. */
export function AcknowledgeDialog({ incident, title, onClose }: AcknowledgeDialogProps) {
  const texts = useTexts(incidentsTexts)
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
          <ErrorAlert error={acknowledge.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={acknowledge.isPending}>
              {texts.acknowledge}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
