/** The schemes of addresses that links lead to, besides those of the same site. */
export const LINK_SCHEMES = ['http', 'https', 'mailto', 'tel', 'sms', 'geo'];
