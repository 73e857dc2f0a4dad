"""Inverse of a positive definite matrix, the same in every bit whatever the number of threads.

Belongs here: what LAPACK would do faster for a thousand rows, and in another order with each number of threads.
"""

import numpy as np

from juryline.estimators.machine_code import compiled


def inverse_of(matrix: np.ndarray) -> np.ndarray:
    """Inverse of a positive definite matrix."""
    inverse = matrix.copy()
    compiled(invert_in_place)(inverse)
    return inverse


def invert_in_place(matrix: np.ndarray) -> None:
    """Kernel: inverse of a positive definite matrix by Gauss and Jordan, in one order on any number of threads."""
    size = len(matrix)
    for pivot in range(size):
        scale = 1.0 / matrix[pivot, pivot]
        matrix[pivot, pivot] = 1.0
        for column in range(size):
            matrix[pivot, column] *= scale
        for row in range(size):
            if row != pivot:
                factor = matrix[row, pivot]
                matrix[row, pivot] = 0.0
                for column in range(size):
                    matrix[row, column] -= factor * matrix[pivot, column]
