package source

// openNonblock has no meaning here.
const openNonblock = 0
