import '@mantine/dates/styles.css'
import { DateInput, type DateInputProps, TimePicker } from '@mantine/dates'
import dayjs from 'dayjs'
import { useMemo, useState } from 'react'
import { type Language, localeOf, useLanguage, useTexts } from '../language/language.ts'
import type { ClockFieldProps, DateFieldProps } from '../table/filters.tsx'
import { isDay } from './days.ts'

const WIDTHS: Readonly<Record<string, string>> = { day: 'DD', month: 'MM', year: 'YYYY' }

type LanguageDateInputProps = Omit<DateFieldProps, 'label' | 'isSmall'> &
  Pick<DateInputProps, 'label' | 'aria-label' | 'size'>

/** A day, typed or chosen from a calendar, in the order and words of the language, whatever the browser's are; its code is loaded when it is first shown. */
export function LanguageDateInput({ value, onChange, min, max, hasTime = false, ...field }: LanguageDateInputProps) {
  const language = useLanguage()
  const texts = useTexts('calendar')
  const [isOpen, setOpen] = useState(false)
  const { format, order } = useMemo(() => writingOf(language), [language])
  return (
    <DateInput
      {...field}
      locale={language}
      valueFormat={hasTime ? `${format} HH:mm` : format}
      withTime={hasTime}
      placeholder={texts.format(format)}
      value={value === '' ? null : value}
      onChange={day => onChange(day ?? '')}
      dateParser={text => readDay(text, order, hasTime)}
      {...(min && { minDate: min })}
      {...(max && { maxDate: max })}
      allowDeselect
      popoverProps={{ shadow: 'md', onOpen: () => setOpen(true), onClose: () => setOpen(false) }}
      // The key that closes the calendar does not close the dialog around it.
      data-mantine-stop-propagation={isOpen}
      ariaLabels={texts.labels}
    />
  )
}

/** A time of day, by 24 hours as everywhere on the pages, whatever the browser writes. */
export function ClockInput({ label, ...field }: ClockFieldProps) {
  const texts = useTexts('calendar')
  return (
    <TimePicker
      {...field}
      label={label}
      hoursInputLabel={`${label}: ${texts.hour}`}
      minutesInputLabel={`${label}: ${texts.minute}`}
    />
  )
}

/** How a language writes days, for the library, which also learns the names of months and weekdays: one that is translated needs nothing more. */
function writingOf(language: Language) {
  const locale = localeOf(language)
  const parts = new Intl.DateTimeFormat(locale, { day: '2-digit', month: '2-digit', year: 'numeric' }).formatToParts(0)
  const names = (count: number, dayMs: (index: number) => number, options: Intl.DateTimeFormatOptions) => {
    const name = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    return Array.from({ length: count }, (_, index) => name.format(dayMs(index)))
  }
  const month = (index: number) => Date.UTC(2024, index, 1)
  // 2024-09-01 was a Sunday, with which the library begins.
  const weekday = (index: number) => Date.UTC(2024, 8, 1 + index)
  dayjs.locale(
    {
      name: language,
      months: names(12, month, { month: 'long' }),
      monthsShort: names(12, month, { month: 'short' }),
      weekdays: names(7, weekday, { weekday: 'long' }),
      weekdaysShort: names(7, weekday, { weekday: 'short' }),
      weekdaysMin: names(7, weekday, { weekday: 'short' }).map(name => name.slice(0, 2)),
      weekStart: 1,
      formats: {},
      relativeTime: {},
    },
    undefined,
    true,
  )
  return {
    format: parts.map(({ type, value }) => WIDTHS[type] ?? value).join(''),
    order: parts.map(({ type }) => type).filter(type => type in WIDTHS),
  }
}

/** Reads what was typed in the order of the language, with any signs between the numbers, or beginning with the year. */
function readDay(text: string, order: readonly string[], hasTime: boolean): string | null {
  const numbers = text.match(/\d+/g) ?? []
  const isYearFirst = numbers[0]?.length === 4
  const at = (type: string) => numbers[(isYearFirst ? ['year', 'month', 'day'] : order).indexOf(type)] ?? ''
  const year = at('year').length === 2 ? `20${at('year')}` : at('year')
  const day = [year, at('month').padStart(2, '0'), at('day').padStart(2, '0')].join('-')
  if (!isDay(day)) return null
  if (!hasTime) return day
  const [hours = '0', minutes = '0'] = numbers.slice(3)
  return Number(hours) < 24 && Number(minutes) < 60
    ? `${day} ${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}:00`
    : null
}
