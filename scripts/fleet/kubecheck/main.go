// SPDX-License-Identifier: GPL-2.0-only

// Kubecheck decodes a DaemonSet strictly, as a server of Kubernetes would: no
// field is unknown, and what selects pods selects those of the template. It is
// a module of its own, so that siglat's does not depend on Kubernetes.
package main

import (
	"fmt"
	"os"

	apps "k8s.io/api/apps/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "kubecheck: %v\n", err)
		os.Exit(1)
	}
}

func check(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var d apps.DaemonSet
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if d.APIVersion != "apps/v1" || d.Kind != "DaemonSet" {
		return fmt.Errorf("%s: %s of %s, want DaemonSet of apps/v1", path, d.Kind, d.APIVersion)
	}
	s, err := meta.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil {
		return fmt.Errorf("%s: selector: %w", path, err)
	}
	if s.Empty() || !s.Matches(labels.Set(d.Spec.Template.Labels)) {
		return fmt.Errorf("%s: the selector does not select the template", path)
	}
	return mounts(path, &d)
}

// mounts checks that each mount has a volume.
func mounts(path string, d *apps.DaemonSet) error {
	volumes := map[string]bool{}
	for _, v := range d.Spec.Template.Spec.Volumes {
		volumes[v.Name] = true
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				return fmt.Errorf("%s: container %s mounts %s, which is no volume", path, c.Name, m.Name)
			}
		}
	}
	return nil
}
