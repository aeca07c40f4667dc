import { Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Incident } from '../api/types.ts'
import { Dialog, FormButtons } from '../dialog/dialog.tsx'
import { useTexts } from '../language/language.ts'
import { useAcknowledge } from './use-acknowledge.ts'

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
