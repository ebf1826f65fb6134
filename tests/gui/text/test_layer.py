"""Where the labels below tokens are: none is on another one, and none is left out without a sign."""

from bpe_studio.gui.text.layer import APART_PX, N_ROWS, take_place


def test_labels_wider_than_their_tokens_take_both_rows_and_never_overlap():
    ends = [float("-inf")] * N_ROWS
    places = [take_place(ends, 10.0 + 10 * number, 17.0, 200.0) for number in range(6)]
    assert None not in places
    for row in range(N_ROWS):
        lefts = [place[0] for place in places if place[1] == row]
        assert all(b >= a + 17 + APART_PX for a, b in zip(lefts, lefts[1:], strict=False))


def test_a_label_without_room_has_no_place():
    ends = [float("-inf")] * N_ROWS
    places = [take_place(ends, 10.0 + number, 20.0, 200.0) for number in range(6)]
    assert [place is None for place in places] == [False] * N_ROWS + [True] * 4
