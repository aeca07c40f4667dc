/** The parts of an address that are texts, as the contract names them; lat and lon are columns. */
type AddressPart = 'road' | 'houseNumber' | 'suburb' | 'locality' | 'state' | 'country' | 'postcode'

/** The texts of an address in one language; what is absent is not known. */
export type AddressParts = Readonly<Partial<Record<AddressPart, string>>>

export const ADDRESS_LANGUAGES = ['en', 'de'] as const
export type AddressLanguage = (typeof ADDRESS_LANGUAGES)[number]

/** The content of `addresses.texts`. */
export type AddressTexts = Readonly<Record<AddressLanguage, AddressParts>>
