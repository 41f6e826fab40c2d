# SPDX-License-Identifier: Apache-2.0
"""The names that a registry and its metrics may have: they become C and C++ names."""
import re

from .errors import RegistryError

SIZES = ("flush_bytes_min", "flush_bytes_max", "state_bytes")  # the generated header's constants
KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
    return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using
    virtual void volatile wchar_t while xor xor_eq
    """.split()
)

# Lower-case macros of compilers and of common headers.
MACROS = frozenset(
    """
    assert complex errno far i386 imaginary linux mips near noreturn offsetof setjmp sparc stderr
    stdin stdout unix
    """.split()
)

# Names that C, C++ and POSIX headers declare globally: a namespace can't share one.
GLOBALS = frozenset(
    """
    abort abs accept access acos acosh alarm asctime asin asinh atan atan2 atanh atexit atof atoi
    atol atoll basename bind bsearch byte calloc cbrt ceil cfree chdir chmod chown clearenv clock
    clone close connect copysign cos cosh creat ctime daemon difftime dirname div dprintf dup erf
    erfc execv exit exp exp2 expm1 fabs fclose fdim feof ferror fflush ffs fgetc fgets fileno
    floor fma fmax fmin fmod fopen fork fprintf fputc fputs fread free freopen frexp fscanf fseek
    fstat fsync ftell fwrite gamma getc getchar getenv getopt getpid gets gmtime hypot ilogb index
    ioctl isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace
    isupper isxdigit j0 j1 jn kill labs ldexp ldiv lgamma link listen llabs lldiv llrint llround
    localtime log log10 log1p log2 logb lrint lround lseek main malloc memchr memcmp memcpy memmove
    memset mkdir mktime mmap modf mount nan nearbyint nextafter nexttoward nice open optarg optind
    pause perror pipe poll pow printf putc putchar puts qsort raise rand random read realloc recv
    remainder remove remquo rename rewind rindex rint rmdir round scalbn scanf select send setbuf
    setvbuf shutdown signal significand sin sinh sleep snprintf socket sprintf sqrt srand sscanf
    stat std stime strcat strchr strcmp strcpy strlen strstr strtod strtok strtol swab symlink sync
    syscall system tan tanh tgamma time timezone tmpfile tmpnam tolower toupper trunc truncate
    ttyname tzname ungetc unlink usleep vfork vprintf wait write y0 y1 yn
    """.split()
)

# Macros of <stdint.h>, <limits.h> and <stdlib.h>, any of which may stand beside a generated one.
HEADER_MACRO = re.compile(
    r"U?INT(\d+|_LEAST\d+|_FAST\d+|PTR|MAX)_(MIN|MAX|WIDTH|C)"
    r"|(PTRDIFF|SIZE|WCHAR|WINT|SIG_ATOMIC)_(MIN|MAX|WIDTH)"
    r"|(BOOL|U?CHAR|SCHAR|U?SHRT|U?INT|U?LONG|U?LLONG|SSIZE|RAND)_(MIN|MAX|WIDTH)"
    r"|(CHAR|WORD|LONG)_BIT|EXIT_(SUCCESS|FAILURE)"
)


def check_registry_name(name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,31}", name):
        raise RegistryError(
            f"{quoted(name)} is not 1 to 32 characters a-z, 0-9, '-', the first a letter"
        )
    if "--" in name or name.endswith("-"):
        raise RegistryError(f"{quoted(name)} has a '-' that no letter or digit follows")
    if name == "sotto" or name.startswith("sotto-"):
        raise RegistryError(f'{quoted(name)} is reserved: "sotto" is the prefix of the SDK itself')
    identifier = c_identifier(name)
    _check_reserved(name, identifier)
    if identifier in GLOBALS:
        raise RegistryError(f"{quoted(name)} is reserved: it is a name of the C or C++ library")


def check_metric_name(name: str, registry_name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name):
        raise RegistryError(
            f"{quoted(name)} is not 1 to 64 characters a-z, 0-9, '_', the first a letter"
        )
    if "__" in name:
        raise RegistryError(f"{quoted(name)} has two '_' in a row: C++ reserves such names")
    if name in ("client", "registry"):
        raise RegistryError(f"{quoted(name)} is reserved: the generated C++ has a type called so")
    if name in SIZES:
        raise RegistryError(f"{quoted(name)} is reserved: the generated header has a constant so")
    _check_reserved(name, name)
    macro = metric_macro(registry_name, name)
    if HEADER_MACRO.fullmatch(macro):
        raise RegistryError(f"{quoted(name)} would become {macro}, a macro of the C library")


def _check_reserved(name: str, identifier: str) -> None:
    if identifier in KEYWORDS:
        raise RegistryError(f"{quoted(name)} is reserved: it is a keyword of C or C++")
    if identifier in MACROS:
        raise RegistryError(f"{quoted(name)} is reserved: it is a macro of some compilers")


def c_identifier(registry_name: str) -> str:
    return registry_name.replace("-", "_")


def metric_macro(registry_name: str, metric_name: str) -> str:
    return f"{c_identifier(registry_name)}_{metric_name}".upper()


def quoted(text: str) -> str:
    return f'"{text[:60]}..."' if len(text) > 64 else f'"{text}"'
