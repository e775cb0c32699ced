"""What is counted, for Prometheus; `deploy/metrics.md` documents it."""

import platform
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import Final, TypeVar

import grpc
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from referee.table.observer import Observer, Span, Way, no_span

MetricT = TypeVar("MetricT", Counter, Gauge, Histogram)
_CALL_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_COMMAND_S: Final = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5)


class Metrics(Observer):
    """Counts what happens in this process."""

    def __init__(self, span: Callable[..., Span] = no_span) -> None:
        super().__init__(span)
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry: Final = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._calls: Final = self._counter("calls", "Calls that have ended.", "method", "code")
        self._call_s: Final = self._histogram("call_duration", "Unary calls.", _CALL_S, "method")
        self._streams: Final = self._gauge("streams_open", "Streams that are open.", "method")
        self._refusals: Final = self._counter("refusals", "Calls, and moves on streams, that were refused.", "reason")
        self._moves: Final = self._counter("moves", "Moves of players that were accepted.", "ruleset", "way")
        self._created: Final = self._counter("matches_created", "Matches that were created.", "ruleset")
        self._finished: Final = self._counter("matches_finished", "Matches that have ended.", "ruleset", "end")
        self._look_ups: Final = self._counter("cache_lookups", "Matches to be changed, remembered or not.", "result")
        self._conflicts: Final = self._counter("write_conflicts", "Writes that another one came before.")
        self._command_s: Final = self._histogram("store_command_duration", "Store commands.", _COMMAND_S, "command")
        self._failures: Final = self._counter("store_errors", "Store commands that failed.", "command")
        self._interruptions: Final = self._counter(
            "notification_interruptions", "Losses of the connection that notifications come through."
        )
        build = self._gauge("build_info", "What is running.", "version", "python", "grpc")
        build(version("artreferee"), platform.python_version(), grpc.__version__).set(1)

    def exposition(self) -> bytes:
        """Returns all figures in Prometheus' text format."""
        return generate_latest(self._registry)

    def called(self, method: str, code: str, seconds: float) -> None:
        self._calls(method, code).inc()
        self._call_s(method).observe(seconds)

    def opened(self, method: str) -> None:
        self._streams(method).inc()

    def closed(self, method: str, code: str) -> None:
        self._streams(method).dec()
        self._calls(method, code).inc()

    def refused(self, reason: str) -> None:
        self._refusals(reason).inc()

    def created(self, ruleset: str) -> None:
        self._created(ruleset).inc()

    def finished(self, ruleset: str, end: str) -> None:
        self._finished(ruleset, end).inc()

    def moved(self, ruleset: str, way: Way, moves: int) -> None:
        self._moves(ruleset, way).inc(moves)

    def looked_up(self, known: bool) -> None:
        self._look_ups("hit" if known else "miss").inc()

    def conflicted(self) -> None:
        self._conflicts().inc()

    def stored(self, command: str, seconds: float, failed: bool) -> None:
        self._command_s(command).observe(seconds)
        if failed:
            self._failures(command).inc()

    def interrupted(self) -> None:
        self._interruptions().inc()

    def _counter(self, name: str, text: str, *labels: str) -> Callable[..., Counter]:
        return _of_labels(Counter(name, text, labels, namespace="referee", registry=self._registry), labels)

    def _gauge(self, name: str, text: str, *labels: str) -> Callable[..., Gauge]:
        return _of_labels(Gauge(name, text, labels, namespace="referee", registry=self._registry), labels)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Callable[..., Histogram]:
        metric = Histogram(
            name, text, labels, namespace="referee", unit="seconds", buckets=buckets, registry=self._registry
        )
        return _of_labels(metric, labels)


def _of_labels(metric: MetricT, labels: tuple[str, ...]) -> Callable[..., MetricT]:
    """Returns what finds the metric of some values of the labels; the metric's own look-up costs ten times as much."""
    return cache(metric.labels) if labels else lambda: metric
