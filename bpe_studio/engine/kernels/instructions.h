/* What the C of the kernels begins with: arrays, the compiled forms of `instructions.py`, and how arguments of Python
   are taken. `to_c.py` writes the rest. */

#include <Python.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define HAS_SSE2
#endif
#ifdef _MSC_VER
#include <intrin.h>
#endif

/* An array without gaps. `CHECK_INDICES` finds kernels that read or write outside. */
#define ARRAY(name, type) \
    typedef struct { type *at; int64_t n; } name; \
    static inline name slice_##name(name a, int64_t start, int64_t stop) { \
        name part = {a.at + start, stop - start}; \
        return part; \
    }
ARRAY(Bytes, uint8_t)
ARRAY(Uint16s, uint16_t)
ARRAY(Uint32s, uint32_t)
ARRAY(Int32s, int32_t)
ARRAY(Int64s, int64_t)
typedef struct { uint8_t *at; int64_t n; } EightBytes;
typedef struct { int64_t *at; int64_t n; int64_t width; } Int64Rows;

#ifdef CHECK_INDICES
static inline int64_t checked(int64_t i, int64_t n, const char *where) {
    if (i < 0 || i >= n) Py_FatalError(where);
    return i;
}
#define AT(a, i) (a).at[checked((int64_t)(i), (a).n, __func__)]
#else
#define AT(a, i) (a).at[i]
#endif

static inline Int64s row_of(Int64Rows rows, int64_t i) {
    Int64s row = {rows.at + i * rows.width, rows.width};
    return row;
}

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static inline int64_t load(const uint8_t *at) {
    int64_t bytes;
    memcpy(&bytes, at, 8);
    return bytes;
}

/* The functions of `instructions.py`. */

#define place(i) ((uint64_t)(i))
#define prefetches() 1
#if defined(__GNUC__)
#define prefetch(a, i) __builtin_prefetch((a).at + (i), 0, 3)
#elif defined(HAS_SSE2)
#define prefetch(a, i) _mm_prefetch((const char *)((a).at + (i)), _MM_HINT_T0)
#else
#define prefetch(a, i) ((void)0)
#endif

static inline int64_t eight_bytes(Bytes b, uint64_t i) { return load(&AT(b, i)); }

static inline int64_t lowest_bit(int64_t bits) {
    if (bits == 0) return 64;
#ifdef _MSC_VER
    unsigned long at;
    _BitScanForward64(&at, (uint64_t)bits);
    return at;
#else
    return __builtin_ctzll((uint64_t)bits);
#endif
}

static inline int64_t highest_bit(int64_t bits) {
    if (bits == 0) return -1;
#ifdef _MSC_VER
    unsigned long at;
    _BitScanReverse64(&at, (uint64_t)bits);
    return at;
#else
    return 63 - __builtin_clzll((uint64_t)bits);
#endif
}

static inline int64_t n_bits(int64_t bits) {
    uint64_t n = (uint64_t)bits;
    n -= n >> 1 & 0x5555555555555555;
    n = (n & 0x3333333333333333) + (n >> 2 & 0x3333333333333333);
    n = (n + (n >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return n * 0x0101010101010101 >> 56;
}

static inline int64_t bytes_between(Bytes b, uint64_t i, int64_t low, int64_t high, int64_t joined) {
    const uint8_t *at = &AT(b, i);
    uint64_t found = 0;
#ifdef HAS_SSE2
    __m128i lows = _mm_set1_epi8((char)low);
    __m128i span = _mm_set1_epi8((char)(high - low));
    __m128i bits = _mm_set1_epi8((char)joined);
    for (int k = 0; k < 64; k += 16) {
        __m128i some = _mm_loadu_si128((const __m128i *)(at + k));
        __m128i above = _mm_sub_epi8(_mm_or_si128(some, bits), lows);
        __m128i is_in = _mm_cmpeq_epi8(_mm_min_epu8(above, span), above);
        found |= (uint64_t)_mm_movemask_epi8(is_in) << k;
    }
#else
    for (int k = 0; k < 64; k += 8) {
        uint64_t eight = 0;
        for (int j = 0; j < 8; j++) eight |= (uint64_t)((uint8_t)((at[k + j] | joined) - low) <= high - low) << j;
        found |= eight << k;
    }
#endif
    return (int64_t)found;
}

/* What a kernel is given. An array stays where it is until all are released. */

typedef struct { Py_buffer views[48]; int n; int is_wrong; } Given;

static Py_buffer *view_of(Given *given, PyObject *array, Py_ssize_t size, const char *formats, int n_axes) {
    static Py_buffer none;
    Py_buffer *view = &given->views[given->n];
    if (given->is_wrong || array == NULL || PyObject_GetBuffer(array, view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        given->is_wrong = 1;
        return &none;
    }
    given->n++;
    const char *format = view->format + strlen(view->format) - 1;
    if (view->itemsize != size || view->ndim != n_axes || strchr(formats, *format) == NULL) given->is_wrong = 1;
    return view;
}

#define TAKE(name, type, formats) \
    static name take_##name(Given *given, PyObject *array) { \
        Py_buffer *view = view_of(given, array, sizeof(type), formats, 1); \
        name taken = {view->buf, view->len / (Py_ssize_t)sizeof(type)}; \
        if (taken.n > 1 && view->strides[0] != sizeof(type)) given->is_wrong = 1; \
        return taken; \
    }
TAKE(Bytes, uint8_t, "B")
TAKE(Uint16s, uint16_t, "H")
TAKE(Uint32s, uint32_t, "IL")
TAKE(Int32s, int32_t, "il")
TAKE(Int64s, int64_t, "lq")

static EightBytes take_EightBytes(Given *given, PyObject *array) {
    Py_buffer *view = view_of(given, array, 8, "lq", 1);
    EightBytes taken = {view->buf, view->len / 8};
    if (taken.n > 1 && view->strides[0] != 1) given->is_wrong = 1;
    return taken;
}

static Int64Rows take_Int64Rows(Given *given, PyObject *array) {
    Int64Rows taken = {NULL, 0, 0};
    Py_buffer *view = view_of(given, array, 8, "lq", 2);
    if (given->is_wrong) return taken;
    taken.at = view->buf;
    taken.n = view->len / 8;
    taken.width = view->shape[1];
    if (view->strides[1] != 8 || view->strides[0] != 8 * taken.width) given->is_wrong = 1;
    return taken;
}

static int64_t take_int(Given *given, PyObject *number) {
    int64_t taken = PyLong_AsLongLong(number);
    if (taken == -1 && PyErr_Occurred()) given->is_wrong = 1;
    return taken;
}

static PyObject *item_of(PyObject *given, Py_ssize_t i) {
    return PyTuple_Check(given) ? PyTuple_GetItem(given, i) : NULL;
}

static void release(Given *given) {
    while (given->n > 0) PyBuffer_Release(&given->views[--given->n]);
}

typedef PyObject *(*Form)(PyObject *const *, int *);

/* Calls the form of a kernel that takes such arguments. */
static PyObject *call(const Form *forms, Py_ssize_t n_wanted, PyObject *const *arguments, Py_ssize_t n_given) {
    for (; n_given == n_wanted && *forms != NULL; forms++) {
        int is_wrong = 0;
        PyObject *result = (*forms)(arguments, &is_wrong);
        if (!is_wrong) return result;
        PyErr_Clear();
    }
    PyErr_SetString(PyExc_TypeError, "no form of this kernel takes such arguments");
    return NULL;
}
